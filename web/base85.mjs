// Bytes as text that HTML takes as it is: five characters for four bytes, where base64 has four for
// three. The digits are the characters from "(" to "~" without "<" and "\".

const FIRST = 40; // code of "("
const LEFT_OUT = [60, 92]; // codes of "<" and "\"

const DIGITS = Array.from({ length: 87 }, (_, i) => FIRST + i)
  .filter((code) => !LEFT_OUT.includes(code))
  .map((code) => String.fromCharCode(code));

/** @param {Uint8Array} bytes */
export function toBase85(bytes) {
  const padded = new Uint8Array(4 * Math.ceil(bytes.length / 4));
  padded.set(bytes);
  const view = new DataView(padded.buffer);
  const groups = [];
  for (let at = 0; at < padded.length; at += 4) {
    let n = view.getUint32(at);
    let group = "";
    for (let i = 0; i < 5; ++i, n = Math.floor(n / 85)) group = DIGITS[n % 85] + group;
    groups.push(group);
  }
  return groups.join("").slice(0, Math.ceil((5 * bytes.length) / 4));
}

/** @param {string} text */
export function fromBase85(text) {
  const values = new Uint8Array(128);
  DIGITS.forEach((digit, value) => (values[digit.charCodeAt(0)] = value));
  const groups = Math.ceil(text.length / 5);
  const view = new DataView(new ArrayBuffer(4 * groups));
  for (let group = 0; group < groups; ++group) {
    let n = 0;
    for (let i = 5 * group; i < 5 * group + 5; ++i) {
      n = 85 * n + (i < text.length ? (values[text.charCodeAt(i)] ?? 0) : 84);
    }
    view.setUint32(4 * group, n);
  }
  return new Uint8Array(view.buffer, 0, Math.floor((4 * text.length) / 5));
}
