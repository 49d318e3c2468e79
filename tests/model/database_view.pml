/* How DatabaseView::Open reads a folder without a lock while a program writes to it.
 *
 * Spin tries every interleaving of the steps below. A step is a system call whose effect other
 * processes can see. The assertions claim that a view shows a state that the database had while the
 * view was being opened, and that a folder that does not change is read at the first attempt.
 * -DWITHOUT=n leaves out step n of the protocol; the claim must then fail.
 *
 * Batch 1 puts a key, batch 2 deletes it, and each later batch puts another key. A set of
 * batches or files is a number with a bit for each member. A table or log contains a set of batches.
 * Files of all kinds draw their numbers from one counter, as in LevelDB.
 */
#define CURRENT_AGAIN 1  /* read CURRENT again at the end */
#define MANIFEST_AGAIN 2 /* read the MANIFEST again at the end; if it has a new edit: */
#define LOG_NUMBER 3     /*   the log number must be the same, */
#define ALL_OPENED 4     /*   all tables must have been opened, */
#define SEQUENCE 5       /*   and no sequence be missing between the MANIFEST and the logs */
#define LIST_LATER 6     /* list the folder after reading the MANIFEST, not before */
#define NEEDED_LOGS 7    /* read no log below the log number */
#define SAME_FAILURE 8   /* if the MANIFEST was absent, CURRENT must still name it at the end */
#define EDIT_FIRST 9     /* the writer removes files only after the edit that drops them */
#ifndef WITHOUT
#define WITHOUT 0
#endif
#define has(step) (WITHOUT != step)

#ifndef BATCHES
#define BATCHES 3
#endif
#ifndef REOPENS
#define REOPENS 1
#endif
#define FILES 15
#define bit(n) (1 << (n))
#define below(n) (bit(n) - 1)

/* The state that a MANIFEST describes: the sum of its edits. */
typedef Version {
  unsigned tables : FILES;
  byte log;   /* log number */
  byte seq;   /* last sequence */
  byte next;  /* next file number */
  byte edits
}

/* The folder. */
byte current = 1;  /* CURRENT names this MANIFEST */
unsigned manifests : FILES = bit(1);
unsigned tables : FILES;
unsigned logs : FILES = bit(2);
Version manifest[FILES];
byte in_table[FILES], in_log[FILES];

/* The writer's memory. */
byte written;          /* number of batches written */
byte next = 3;         /* next file number */
byte own = 1;          /* number of its MANIFEST */
byte log = 2;          /* logfile_number_ */
byte frozen;           /* log whose memtable is imm_; 0: none */
byte frozen_seq;       /* last sequence in that log */
bool is_open = true;   /* false during DB::Open */
bool is_removing;      /* in RemoveObsoleteFiles() */
byte reopens;
bool is_closed;        /* nothing changes any more */
bool is_read;          /* the reader has ended */

#define version manifest[own]
#define NewNumber(n) n = next; next++
#define NewLog() NewNumber(log); logs = logs | bit(log); in_log[log] = 0

#define several(set) ((set) & ((set) - 1))

/* Sets `batches` to the union of the batches in a set of files. */
#define Unite(set, contents) \
  batches = 0; \
  for (n : 1 .. FILES - 1) { \
    if :: (set) & bit(n) -> batches = batches | contents[n] :: else fi }; \
  n = 0

/* Builds table n, and writes an edit that replaces `inputs` by it. Readers don't open it before. */
#define ReplaceTables(inputs, contents) \
  NewNumber(n); tables = tables | bit(n); in_table[n] = contents; \
  version.tables = (version.tables & ~(inputs)) | bit(n); \
  version.next = next; version.edits++; \
  is_removing = true; n = 0

/* Sets n to any member of a set that has one. */
#define PickAny(set) n = 0; do :: (set) >> (n + 1) -> n++ :: (set) & bit(n) -> break od

/* The batches that remain if there are no older ones: without the deletion and the key it hides. */
#define visible(batches) ((batches) & 2 -> (batches) & ~3 : (batches))

/* The files that RemoveObsoleteFiles() removes. */
#define old_tables (tables & ~version.tables)
#define old_logs (logs & below(has(EDIT_FIRST) -> version.log : log))
#define old_manifests (manifests & below(own))

/* LevelDB (db/db_impl.cc, db/version_set.cc), and goleveldb's transactions. */
active proctype Writer() {
  byte n, batches;
  d_step { manifest[1].log = 2; manifest[1].next = 3; manifest[1].edits = 1 }
  {
  do
  /* DBImpl::Write() adds a record to the log. Readers ignore an incomplete record. */
  :: d_step { is_open && written < BATCHES ->
       in_log[log] = in_log[log] | bit(written); written++ }

  /* MakeRoomForWrite() starts a new log if imm_ is null. */
  :: d_step { is_open && !frozen && in_log[log] && next < FILES ->
       frozen = log; frozen_seq = written; NewLog() }

  /* CompactMemTable(): WriteLevel0Table(), SetLogNumber(), LogAndApply(). goleveldb writes this
   * last sequence; LevelDB's may be higher. */
  :: d_step { is_open && frozen && !is_removing && next < FILES ->
       version.log = log; version.seq = frozen_seq;
       ReplaceTables(0, in_log[frozen]);
       frozen = 0; frozen_seq = 0 }

  /* DoCompactionWork() and InstallCompactionResults() compact all tables into one. */
  :: d_step { is_open && several(version.tables) && !is_removing && next < FILES ->
       Unite(version.tables, in_table);
       ReplaceTables(version.tables, visible(batches)); batches = 0 }

  /* goleveldb's Transaction, which it also uses for large batches: the log is empty, nothing else
   * is written meanwhile, and the edit that adds the table does not change the log number. */
  :: d_step { is_open && !frozen && !in_log[log] && written < BATCHES && next < FILES ->
       written++; version.seq = written;
       ReplaceTables(0, bit(written - 1)) }

  /* RemoveObsoleteFiles() removes files in any order. The next flush or compaction follows it. */
  :: atomic { is_open && is_removing ->
       if
       :: old_tables -> PickAny(old_tables); tables = tables & ~bit(n); in_table[n] = 0
       :: old_logs -> PickAny(old_logs); logs = logs & ~bit(n); in_log[n] = 0
       :: old_manifests -> PickAny(old_manifests); manifests = manifests & ~bit(n);
                         manifest[n].tables = 0; manifest[n].log = 0; manifest[n].seq = 0;
                         manifest[n].next = 0; manifest[n].edits = 0
       :: else -> is_removing = false
       fi;
       n = 0 }

  /* The process may end at any time, and another one opens the database. Recover() reuses numbers
   * that neither an edit nor a log has. RecoverLogFile() turns the contents of the logs into a
   * table. Then there is a new log, and a new MANIFEST that CURRENT does not name yet. */
  :: d_step { reopens < REOPENS && next < FILES - 3 ->
       reopens++; is_open = false; is_removing = false; frozen = 0; frozen_seq = 0;
       next = manifest[current].next;
       if :: logs >= bit(next) -> next = log + 1 :: else fi;
       NewNumber(own); manifests = manifests | bit(own);
       Unite(logs & ~below(manifest[current].log), in_log);
       version.tables = manifest[current].tables; version.edits = 0;
       if :: batches -> ReplaceTables(0, batches); is_removing = false :: else fi;
       batches = 0;
       NewLog();
       version.log = log; version.seq = written; version.next = next; version.edits = 1 }
  /* SetCurrentFile() renames a file to CURRENT. RemoveObsoleteFiles() follows. */
  :: d_step { !is_open -> current = own; is_open = true; is_removing = true }

  :: is_closed = true; break
  od
  } unless { is_read }  /* nothing is left to find */
}

/* ListFolder() lists every log that exists throughout. It may list one that appears or disappears
 * meanwhile. */
inline List() {
  listed = logs;
  atomic {
    for (n : 1 .. FILES - 1) {
      if :: (listed ^ logs) & bit(n) ->
              if :: listed = listed | bit(n) :: listed = listed & ~bit(n) fi
         :: else fi }
    n = 0 }
}

/* Sets n to the lowest member of a set, and removes it from the set. */
#define TakeLowest(set) \
  n = 1; do :: set & bit(n) -> break :: else -> n++ od; set = set & ~bit(n)

/* One attempt of DatabaseView::Open (db/database_view.cc), at any time. The attempt after a failed
 * one is equivalent to a first attempt that begins later. */
active proctype Reader() {
  byte floor;              /* number of batches written when the attempt began */
  bool was_closed;         /* whether the folder no longer changed at that time */
  byte name, again;        /* MANIFEST that CURRENT names, at the start and at the end */
  bool is_there;           /* whether the MANIFEST existed */
  Version found;
  unsigned listed : FILES;
  byte view, logged;       /* batches read from tables, and from logs */
  bool all_opened = true, is_valid;
  byte n;

  atomic { floor = written; was_closed = is_closed }
  if :: !has(LIST_LATER) -> List() :: else fi;

  /* ReadFolderState() reads CURRENT and the MANIFEST, and lists the folder. It reads the part of
   * the MANIFEST that was written when it was opened. */
  name = current;
  d_step {
    is_there = (manifests & bit(name)) != 0;
    if
    :: is_there -> found.tables = manifest[name].tables; found.log = manifest[name].log;
                   found.seq = manifest[name].seq; found.edits = manifest[name].edits
    :: else
    fi }
  if :: has(LIST_LATER) -> List() :: else fi;

  /* AddTables() opens the tables. An open table stays readable after it is removed. */
  do
  :: d_step { found.tables -> TakeLowest(found.tables);
       if :: tables & bit(n) -> view = view | in_table[n] :: else -> all_opened = false fi;
       n = 0 }
  :: else -> break
  od;

  /* AddLogs() reads what has been written to each log. */
  if :: has(NEEDED_LOGS) -> listed = listed & ~below(found.log) :: else fi;
  do
  :: d_step { listed -> TakeLowest(listed); logged = logged | in_log[n]; n = 0 }
  :: else -> break
  od;

  /* IsStillValid() reads CURRENT again, then the MANIFEST. */
  if :: has(CURRENT_AGAIN) -> again = current :: else -> again = name fi;
#define is_there_again (manifests & bit(again))
#define follows (!logged || (logged & below(found.seq + 1)))
  d_step {
    if
    :: !is_there -> is_valid = !is_there_again && (again == name || !has(SAME_FAILURE))
    :: is_there && !has(MANIFEST_AGAIN) -> is_valid = (again == name)
    :: is_there && has(MANIFEST_AGAIN) ->
         is_valid = again == name && is_there_again &&
           (manifest[name].edits == found.edits ||
            ((manifest[name].log == found.log || !has(LOG_NUMBER)) &&
             (all_opened || !has(ALL_OPENED)) && (follows || !has(SEQUENCE))))
    fi;

    assert(is_valid || !was_closed);
    assert(is_there || !is_valid);  /* without a MANIFEST, the view may show any state */
    view = visible(view | logged);
    do :: floor <= written && view != visible(below(floor)) -> floor++ :: else -> break od;
    assert(floor <= written || !is_valid);
    is_read = true }
}
