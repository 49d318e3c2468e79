// Adapter for LevelDB packages for Node.js: classic-level, leveldown, leveldb-zlib and the one that
// mcbe-leveldb uses. The first argument is the package's name.
const [name, operation, path, comparator] = process.argv.slice(2);
if (!operation.endsWith('database') || !comparator.startsWith('leveldb.')) process.exit(3);
const print = (row) => process.stdout.write(JSON.stringify(row) + '\n');
const keys = !operation.startsWith('scan')
  ? require('fs').readFileSync(0, 'utf8').split('\n').slice(0, -1).map((hex) => Buffer.from(hex, 'hex')) : null;

async function classicLevel() {
  const {ClassicLevel} = require('classic-level');
  const encoding = {keyEncoding: 'buffer', valueEncoding: 'buffer'};
  const db = new ClassicLevel(path, {createIfMissing: false, ...encoding});
  await db.open();
  return {
    get: async (key) => (await db.get(key)) ?? null,
    rows: () => db.iterator(encoding),
  };
}

async function levelDown() {
  const db = require('leveldown')(path);
  const call = (f) => new Promise((done, fail) => f((error, value) => error ? fail(error) : done(value)));
  await call((done) => db.open({createIfMissing: false}, done));
  return {
    get: (key) => call((done) => db.get(key, (error, value) =>
      error && /notfound/i.test(error.message) ? done(null, null) : done(error, value))),
    rows: async function* () {
      const it = db.iterator();
      for (;;) {
        const row = await new Promise((done, fail) => it.next((error, key, value) =>
          error ? fail(error) : done(key === undefined ? null : [key, value])));
        if (!row) return;
        yield row;
      }
    },
  };
}

async function levelDbZlib() {
  const {LevelDB} = require(name);
  const db = new LevelDB(path, {createIfMissing: false});
  await db.open();
  return {
    get: async (key) => await db.get(key),
    rows: () => db.getIterator({keys: true, values: true, keyAsBuffer: true, valueAsBuffer: true}),
  };
}

(async () => {
  try {
    const open = {'classic-level': classicLevel, leveldown: levelDown, 'leveldb-zlib': levelDbZlib,
      '@8crafter/leveldb-zlib': levelDbZlib}[name];
    const db = await open();
    if (operation.startsWith('time')) {
      const now = () => {
        const {user, system} = process.cpuUsage();
        return (user + system) / 1e6;
      };
      const start = now();
      let entries = 0, bytes = 0, found = 0;
      for await (const [key, value] of db.rows()) {
        ++entries;
        bytes += key.length + value.length;
      }
      const done = now();
      for (const key of keys) found += (await db.get(key)) !== null;
      print({entries, bytes, read: done - start, found, gets: now() - done});
    } else if (keys) {
      for (const key of keys) {
        try {
          const value = await db.get(key);
          print({key: key.toString('hex'), value: value === null ? null : Buffer.from(value).toString('hex')});
        } catch (error) {
          print({key: key.toString('hex'), error: String(error)});
          process.exitCode = 1;
        }
      }
    } else {
      for await (const [key, value] of db.rows()) {
        print({key: Buffer.from(key).toString('hex'), value: Buffer.from(value).toString('hex')});
      }
    }
  } catch (error) {
    console.error(String(error.cause || error));
    process.exitCode = 1;
  }
})();
