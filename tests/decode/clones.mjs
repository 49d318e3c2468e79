// Generates random values that JavaScript can clone, and their JSON as described in
// decode/README.md. Runs in Node and in browsers. As a command, `node clones.mjs COUNT SEED` prints
// values in V8's serialization, in hex, each with its JSON.

// mulberry32, which gives the same numbers on all platforms.
function generator(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const VIEWS = [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array,
               Uint32Array, Float32Array, Float64Array, BigInt64Array, BigUint64Array, DataView];
const NUMBERS = [0, -0, 1, -1, 63, 64, -65, 2 ** 30, 2 ** 31, -(2 ** 31), 2 ** 53, 1e21, 1.5, 5e-324, 1.7976931348623157e308,
                 NaN, Infinity, -Infinity, 0.1, 4294967295];
const ERRORS = [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError];

export function randomValue(seed) {
  const random = generator(seed);
  const below = (n) => Math.floor(random() * n);
  const pick = (list) => list[below(list.length)];
  const objects = [];
  const bytes = (n) => Uint8Array.from({length: n}, () => below(256));

  function text() {
    const size = below(200) === 0 ? 1 << 20 : below(20);
    const kind = below(4);
    const unit = kind === 0 ? () => 0x20 + below(95) : kind === 1 ? () => below(256)
        : kind === 2 ? () => 0x4e00 + below(5000) : () => pick([0xd83d, 0xde00, 0x41, 0x24, 0, 0x22]);
    if (size > 100) return String.fromCharCode(unit()).repeat(size);
    return String.fromCharCode(...Array.from({length: size}, unit));
  }
  function bigint() {
    let value = 0n;
    for (let i = below(5); i > 0; --i) value = (value << 40n) + BigInt(below(2 ** 32));
    return below(2) ? value : -value;
  }
  function buffer() {
    const old = objects.filter((o) => o instanceof ArrayBuffer);
    if (old.length > 0 && below(2)) return pick(old);
    const size = 8 * below(5);
    const made = below(4) ? new ArrayBuffer(size) : new ArrayBuffer(size, {maxByteLength: size + 16});
    new Uint8Array(made).set(bytes(size));
    objects.push(made);
    return made;
  }
  function view() {
    const type = pick(VIEWS);
    const of = buffer();
    if (of.resizable && below(2)) return new type(of);
    const size = type.BYTES_PER_ELEMENT ?? 1;
    const first = below(of.byteLength / size + 1);
    return new type(of, first * size, below(of.byteLength / size - first + 1));
  }
  function fill(object, depth) {
    for (let i = below(6); i > 0; --i) {
      const name = below(3) ? text().slice(0, 9) : pick(["$a", "1", "2", "4294967295", "", "length2"]);
      if (name !== "__proto__") object[name] = value(depth + 1);
    }
    return object;
  }
  function object(depth) {
    const add = (made) => (objects.push(made), made);
    switch (below(14)) {
      case 0: return add(new Date(pick([0, NaN, -1, 8.64e15, -62198755200000, 951782400000, 1e12 * random()])));
      case 1: return add(new RegExp(pick(["a/b", "é", "", "[\\d]"]), pick(["", "gi", "dgimsuy", "v"])));
      case 2: return add(pick([new Boolean(true), new Boolean(false), new Number(random()), new String(text()), Object(bigint())]));
      case 3: {
        const map = add(new Map());
        for (let i = below(4); i > 0; --i) map.set(value(depth + 1), value(depth + 1));
        return map;
      }
      case 4: {
        const set = add(new Set());
        for (let i = below(4); i > 0; --i) set.add(value(depth + 1));
        return set;
      }
      case 5: return buffer();
      case 6: return add(view());
      case 7: {
        const error = add(new (pick(ERRORS))(text().slice(0, 30)));
        error.stack = "at " + text().slice(0, 30);
        if (below(2)) Object.defineProperty(error, "cause", {value: value(depth + 1), configurable: true, writable: true});
        return error;
      }
      case 8: case 9: case 10: {
        const array = add([]);
        for (let i = below(8); i > 0; --i) {
          if (below(4)) array.push(value(depth + 1)); else array.length += below(3);
        }
        if (below(8) === 0) array.length += 5000;
        if (below(5) === 0) array[text().slice(0, 5) + "x"] = value(depth + 1);
        return array;
      }
      default: return fill(add({}), depth);
    }
  }
  function value(depth) {
    if (depth < 5 && below(5) < 3) return object(depth);
    switch (below(8)) {
      case 0: return undefined;
      case 1: return null;
      case 2: return below(2) === 0;
      case 3: return pick(NUMBERS);
      case 4: return (random() - 0.5) * 10 ** below(30);
      case 5: return bigint();
      case 6: return objects.length > 0 ? pick(objects) : text();
      default: return text();
    }
  }
  return object(0);
}

const base64 = (bytes) => btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join(""));
const utf16 = (text) => Array.from({length: text.length}, (_, i) => text.charCodeAt(i).toString(16).padStart(4, "0")).join("");

// Returns the values in `object` in the order in which they are serialized.
function children(object) {
  if (object instanceof Map) return [...object].flat();
  if (object instanceof Set) return [...object];
  if (ArrayBuffer.isView(object)) return [object.buffer];
  if (object instanceof Error) return Object.hasOwn(object, "cause") ? [object.cause] : [];
  if (Array.isArray(object) || Object.getPrototypeOf(object) === Object.prototype) return Object.values(object);
  return [];
}

export function render(root) {
  const seen = new Map();  // object -> true if it occurs more than once
  const visit = (value) => {
    if (typeof value !== "object" || value === null) return;
    if (seen.has(value)) { seen.set(value, true); return; }
    seen.set(value, false);
    children(value).forEach(visit);
  };
  visit(root);
  const ids = new Map();
  const name = (text) => !text.isWellFormed() ? "$utf16:" + utf16(text) : text.startsWith("$") ? "$" + text : text;
  const named = (object) => Object.fromEntries(Object.keys(object).map((key) => [name(key), json(object[key])]));
  function json(value) {
    switch (typeof value) {
      case "undefined": return {$undefined: 1};
      case "bigint": return {$bigint: String(value)};
      case "string": return value.isWellFormed() ? value : {$utf16: utf16(value)};
      case "number":
        return Number.isFinite(value) && !Object.is(value, -0) ? value : {$number: Object.is(value, -0) ? "-0" : String(value)};
      case "boolean": return value;
    }
    if (value === null) return null;
    if (ids.has(value)) return {$ref: ids.get(value)};
    if (!seen.get(value)) return form(value);
    const id = ids.size;
    ids.set(value, id);
    return {$id: id, $value: form(value)};
  }
  function form(value) {
    if (value instanceof Date) {
      const time = value.getTime();
      return {$date: Number.isNaN(time) ? null : time < -62167219200000 || time > 253402300799999 ? time : value.toISOString()};
    }
    if (value instanceof RegExp) return {$regexp: json(value.source), flags: value.flags};
    if (value instanceof Boolean || value instanceof Number || value instanceof String || value instanceof BigInt) {
      return {$boxed: json(value.valueOf())};
    }
    if (value instanceof Map) return {$map: [...value].map(([k, v]) => [json(k), json(v)])};
    if (value instanceof Set) return {$set: [...value].map(json)};
    if (value instanceof ArrayBuffer) {
      return {$buffer: base64(new Uint8Array(value)), ...(value.resizable ? {max: value.maxByteLength} : {})};
    }
    if (ArrayBuffer.isView(value)) {
      const tracking = value.buffer.resizable && isTracking(value);
      return {$view: value.constructor.name, of: json(value.buffer), offset: value.byteOffset, bytes: tracking ? 0 : value.byteLength, ...(tracking ? {tracking} : {})};
    }
    if (value instanceof Error) {
      const inner = {type: value.name, stack: json(value.stack)};
      if (value.message !== "" || Object.hasOwn(value, "message")) inner.message = json(value.message);
      if (Object.hasOwn(value, "cause")) inner.cause = json(value.cause);
      return {$error: inner};
    }
    if (!Array.isArray(value)) return named(value);
    const keys = Object.keys(value);
    const indices = keys.filter((key) => String(key >>> 0) === key && key >>> 0 < 4294967295);
    if (keys.length > indices.length) {
      const isIndex = new Set(indices);
      return {$array: {length: value.length, entries: keys.map((key) => [isIndex.has(key) ? Number(key) : json(key), json(value[key])])}};
    }
    const elements = [];
    let next = 0;
    for (const index of [...indices.map(Number), value.length]) {
      if (index > next) elements.push({$hole: index - next});
      if (index < value.length) elements.push(json(value[index]));
      next = index + 1;
    }
    return elements;
  }
  return json(root);
}

// Returns true if the view's length follows its buffer's.
function isTracking(view) {
  const buffer = view.buffer;
  const size = buffer.byteLength, before = view.byteLength;
  buffer.resize(size + 8);
  const tracking = view.byteLength !== before;
  buffer.resize(size);
  return tracking;
}

if (typeof process !== "undefined") {
  const {Serializer} = await import("node:v8");
  const [count, seed] = process.argv.slice(2).map(Number);
  for (let i = 0; i < count; ++i) {
    const value = randomValue(seed + i);
    const serializer = new Serializer();
    serializer.writeHeader();
    serializer.writeValue(value);
    console.log(serializer.releaseBuffer().toString("hex") + "\t" + JSON.stringify(render(value)));
  }
}
