/** The codes of sstable/c.h, and CLOSED. */
export type ErrorCode =
  | "UNKNOWN"
  | "INVALID_ARGUMENT"
  | "NOT_FOUND"
  | "ALREADY_EXISTS"
  | "PERMISSION_DENIED"
  | "RESOURCE_EXHAUSTED"
  | "FAILED_PRECONDITION"
  | "ABORTED"
  | "UNIMPLEMENTED"
  | "UNAVAILABLE"
  | "DATA_LOSS"
  | "CLOSED";

const NAMES: Record<number, ErrorCode> = {
  3: "INVALID_ARGUMENT",
  5: "NOT_FOUND",
  6: "ALREADY_EXISTS",
  7: "PERMISSION_DENIED",
  8: "RESOURCE_EXHAUSTED",
  9: "FAILED_PRECONDITION",
  10: "ABORTED",
  12: "UNIMPLEMENTED",
  14: "UNAVAILABLE",
  15: "DATA_LOSS",
};

/** Any error of this package except a TypeError. `cause` is the error of a source that failed. */
export class SstableError extends Error {
  override readonly name: string = "SstableError";
  readonly code: ErrorCode;
  readonly cause: unknown;

  constructor(code: ErrorCode, message: string, cause?: unknown) {
    super(message);
    this.code = code;
    this.cause = cause;
  }
}

/** The bytes are damaged, or not a table. The message names the file, block and offset. */
export class DataLossError extends SstableError {
  override readonly name = "DataLossError";
}

/** The object was closed. */
export class ClosedError extends SstableError {
  override readonly name = "ClosedError";

  constructor(what: string) {
    super("CLOSED", `${what} is closed`);
  }
}

/** @internal */
export function errorOf(code: number, message: string): SstableError {
  const name = NAMES[code] ?? "UNKNOWN";
  return new (name === "DATA_LOSS" ? DataLossError : SstableError)(name, message);
}

const ERRNOS: Record<string, ErrorCode> = {
  ENOENT: "NOT_FOUND",
  EEXIST: "ALREADY_EXISTS",
  ENOTDIR: "INVALID_ARGUMENT",
  EACCES: "PERMISSION_DENIED",
  EPERM: "PERMISSION_DENIED",
  EMFILE: "RESOURCE_EXHAUSTED",
  ENFILE: "RESOURCE_EXHAUSTED",
  ENOSPC: "RESOURCE_EXHAUSTED",
};

/** An error from the system or from a caller's source. @internal */
export function systemError(error: unknown, where = ""): SstableError {
  const { code, message } = Object(error) as { code?: string; message?: string };
  const name = ERRNOS[String(code)] ?? "UNAVAILABLE";
  return new SstableError(name, where + (message ?? String(error)), error);
}
