/* How DatabaseView::Open reads a folder without a lock, beside a program that writes to it.
 *
 * Spin tries every interleaving of the steps below. A step is what other processes see of one system
 * call; what they can't see is not a step. The assertions are the claim: what a view has is a state
 * that the database had while the view was opened, and a folder that does not change is read at the
 * first attempt. -DWITHOUT=n leaves out step n of the protocol; the claim must then fail.
 *
 * Batch 1 puts a key, batch 2 deletes it, each later batch puts a key of its own. A set of batches
 * or of files is a number with a bit for each. A table or log has a set of batches. Files of all
 * kinds draw their numbers from one counter, as in LevelDB.
 */
#define CURRENT_AGAIN 1  /* read CURRENT again at the end */
#define MANIFEST_AGAIN 2 /* read the MANIFEST again at the end; if it has a new edit: */
#define LOG_NUMBER 3     /*   the log number must be the same, */
#define ALL_OPENED 4     /*   all tables must have been opened, */
#define SEQUENCE 5       /*   and no sequence be missing between the MANIFEST and the logs */
#define LIST_LATER 6     /* list the folder after the MANIFEST was read, not before */
#define NEEDED_LOGS 7    /* read no log below the log number */
#define SAME_FAILURE 8   /* without a MANIFEST: CURRENT must still name the one that is absent */
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

/* What a MANIFEST says: the sum of its edits. */
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
byte written;          /* batches */
byte next = 3;         /* file number */
byte own = 1;          /* its MANIFEST */
byte log = 2;          /* logfile_number_ */
byte frozen;           /* log whose memtable is imm_; 0: none */
byte frozen_seq;       /* its last sequence */
bool is_open = true;   /* false in DB::Open */
bool is_removing;      /* in RemoveObsoleteFiles() */
byte reopens;
bool is_closed;        /* nothing changes any more */
bool is_read;          /* the reader has ended */

#define version manifest[own]
#define NewNumber(n) n = next; next++
#define NewLog() NewNumber(log); logs = logs | bit(log); in_log[log] = 0

#define several(set) ((set) & ((set) - 1))

/* Sets `batches` to those of all files in a set. */
#define Unite(set, contents) \
  batches = 0; \
  for (n : 1 .. FILES - 1) { \
    if :: (set) & bit(n) -> batches = batches | contents[n] :: else fi }; \
  n = 0

/* Builds table n, and adds it by an edit in place of `inputs`. Nobody reads it before the edit. */
#define ReplaceTables(inputs, contents) \
  NewNumber(n); tables = tables | bit(n); in_table[n] = contents; \
  version.tables = (version.tables & ~(inputs)) | bit(n); \
  version.next = next; version.edits++; \
  is_removing = true; n = 0

/* Sets n to any member of a set that has one. */
#define PickAny(set) n = 0; do :: (set) >> (n + 1) -> n++ :: (set) & bit(n) -> break od

/* What is left of batches if nothing is older: the deletion goes, and what it hides. */
#define visible(batches) ((batches) & 2 -> (batches) & ~3 : (batches))

/* What RemoveObsoleteFiles() removes. */
#define old_tables (tables & ~version.tables)
#define old_logs (logs & below(has(EDIT_FIRST) -> version.log : log))
#define old_manifests (manifests & below(own))

/* LevelDB (db/db_impl.cc, db/version_set.cc), and goleveldb's transactions. */
active proctype Writer() {
  byte n, batches;
  d_step { manifest[1].log = 2; manifest[1].next = 3; manifest[1].edits = 1 }
  {
  do
  /* DBImpl::Write(): AddRecord() to the log. Readers ignore a record that is not whole. */
  :: d_step { is_open && written < BATCHES ->
       in_log[log] = in_log[log] | bit(written); written++ }

  /* MakeRoomForWrite(): if imm_ is null, a new log. */
  :: d_step { is_open && !frozen && in_log[log] && next < FILES ->
       frozen = log; frozen_seq = written; NewLog() }

  /* CompactMemTable(): WriteLevel0Table(), SetLogNumber(), LogAndApply(). LevelDB's last sequence
   * may be higher, goleveldb's is this one. */
  :: d_step { is_open && frozen && !is_removing && next < FILES ->
       version.log = log; version.seq = frozen_seq;
       ReplaceTables(0, in_log[frozen]);
       frozen = 0; frozen_seq = 0 }

  /* DoCompactionWork(), InstallCompactionResults(), of all tables. */
  :: d_step { is_open && several(version.tables) && !is_removing && next < FILES ->
       Unite(version.tables, in_table);
       ReplaceTables(version.tables, visible(batches)); batches = 0 }

  /* goleveldb's Transaction, also of a large batch: the log is empty, nothing else is written, and
   * the table comes without a new log number. */
  :: d_step { is_open && !frozen && !in_log[log] && written < BATCHES && next < FILES ->
       written++; version.seq = written;
       ReplaceTables(0, bit(written - 1)) }

  /* RemoveObsoleteFiles(), in any order. Memtables are flushed and tables compacted after it. */
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

  /* The process ends at any time, and another one opens the database. Recover(): numbers that no
   * edit and no log has are used again. RecoverLogFile(): what the logs have becomes a table. A new
   * log, and a new MANIFEST, which CURRENT does not name yet. */
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
  /* SetCurrentFile(), which renames; then RemoveObsoleteFiles(). */
  :: d_step { !is_open -> current = own; is_open = true; is_removing = true }

  :: is_closed = true; break
  od
  } unless { is_read }  /* nothing is left to find */
}

/* ListFolder(): what was there throughout is listed. What appeared or went meanwhile may be. */
inline List() {
  listed = logs;
  atomic {
    for (n : 1 .. FILES - 1) {
      if :: (listed ^ logs) & bit(n) ->
              if :: listed = listed | bit(n) :: listed = listed & ~bit(n) fi
         :: else fi }
    n = 0 }
}

/* Takes the lowest number out of a set. */
#define TakeLowest(set) \
  n = 1; do :: set & bit(n) -> break :: else -> n++ od; set = set & ~bit(n)

/* An attempt of DatabaseView::Open (db/database_view.cc), at any time. One that fails is followed
 * by another, which is as if that had begun later. */
active proctype Reader() {
  byte floor;              /* batches written when it began */
  bool was_closed;         /* the folder no longer changed then */
  byte name, again;        /* of the MANIFEST, in CURRENT */
  bool is_there;           /* the MANIFEST was */
  Version found;
  unsigned listed : FILES;
  byte view, logged;       /* batches of tables; of logs */
  bool all_opened = true, is_valid;
  byte n;

  atomic { floor = written; was_closed = is_closed }
  if :: !has(LIST_LATER) -> List() :: else fi;

  /* ReadFolderState(): CURRENT, the MANIFEST, the folder. A MANIFEST is read as far as it was
   * written when it was opened. */
  name = current;
  d_step {
    is_there = (manifests & bit(name)) != 0;
    if
    :: is_there -> found.tables = manifest[name].tables; found.log = manifest[name].log;
                   found.seq = manifest[name].seq; found.edits = manifest[name].edits
    :: else
    fi }
  if :: has(LIST_LATER) -> List() :: else fi;

  /* AddTables(): one that was opened stays readable when it is removed. */
  do
  :: d_step { found.tables -> TakeLowest(found.tables);
       if :: tables & bit(n) -> view = view | in_table[n] :: else -> all_opened = false fi;
       n = 0 }
  :: else -> break
  od;

  /* AddLogs(): each as far as it is written. */
  if :: has(NEEDED_LOGS) -> listed = listed & ~below(found.log) :: else fi;
  do
  :: d_step { listed -> TakeLowest(listed); logged = logged | in_log[n]; n = 0 }
  :: else -> break
  od;

  /* IsStillValid(): CURRENT, then the MANIFEST. */
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
    assert(is_there || !is_valid);  /* what was read without a MANIFEST may be anything */
    view = visible(view | logged);
    do :: floor <= written && view != visible(below(floor)) -> floor++ :: else -> break od;
    assert(floor <= written || !is_valid);
    is_read = true }
}
