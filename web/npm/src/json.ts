// JSON with 64-bit integers.

/** Like JSON.parse(), but integers that a number would round are bigints. @internal */
export function parseJson(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  // Prefixes every string except members' names with "s", and turns each large integer into a
  // string that begins with "n".
  const tokens = /"(?:[^"\\]|\\.)*"(\s*:)?|-?\d+(?:[.]\d+)?(?:[eE][+-]?\d+)?/g;
  const marked = text.replace(tokens, (token: string, colon: string | undefined) => {
    if (token.startsWith('"')) return colon === undefined ? `"s${token.slice(1)}` : token;
    return /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token))
      ? `"n${token}"`
      : token;
  });
  return JSON.parse(marked, (_name, value: unknown) => {
    if (typeof value !== "string") return value;
    return value.startsWith("n") ? BigInt(value.slice(1)) : value.slice(1);
  });
}
