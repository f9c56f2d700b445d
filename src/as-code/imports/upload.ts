import { createWriteStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { Type } from "typebox";
import { explainDiskError, KnownError } from "../../platform/errors.ts";
import { assertSchema } from "../../platform/http/validation.ts";
import type { ImportFile } from "./reading.ts";

/** Limits of one upload. */
export const maxFileBytes = 512 * 1_048_576;
const maxBundleBytes = 32 * 1_048_576;
const maxFiles = 500;

/** Several text files in the JSON body of one request. */
const FileBundle = Type.Object(
  {
    files: Type.Array(
      Type.Object({
        name: Type.String({
          description: "Name of the file. It is never used as a path.",
          examples: ["gatus.yml"],
          minLength: 1,
          maxLength: 1_000,
        }),
        content: Type.String({
          description: "Its text.",
          examples: ["endpoints: []"],
          maxLength: maxBundleBytes,
        }),
      }),
      { description: "The files.", minItems: 1, maxItems: maxFiles },
    ),
  },
  { title: "ImportFiles" },
);

/**
 * Schema of the request body for the documentation. The action reads the body as a stream of any
 * content type.
 */
export const UploadBody = Type.Unsafe<unknown>({ "x-shown": FileBundle });

const mebibytes = (bytes: number) => `${bytes / 1_048_576} MiB`;

function createTooLarge(isBundle: boolean): KnownError {
  const message = isBundle
    ? `The files are larger than ${mebibytes(maxBundleBytes)} together. Upload fewer files.`
    : `The file is larger than ${mebibytes(maxFileBytes)}. Import it with the command line on the ` +
      'machine that has the file: "vedette import uptime-kuma kuma.db" leaves single heartbeats ' +
      "out, which are most of a database.";
  return new KnownError("bodyTooLarge", { message });
}

async function* limitBytes(body: AsyncIterable<Buffer>, isBundle: boolean): AsyncGenerator<Buffer> {
  const most = isBundle ? maxBundleBytes : maxFileBytes;
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > most) throw createTooLarge(isBundle);
    yield chunk;
  }
}

async function readBundle(body: AsyncIterable<Buffer>): Promise<Type.Static<typeof FileBundle>> {
  const chunks: Buffer[] = [];
  for await (const chunk of limitBytes(body, true)) chunks.push(chunk);
  let bundle: unknown;
  try {
    bundle = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new KnownError("invalidRequest", { message: "body must be valid JSON" });
  }
  assertSchema(FileBundle, bundle);
  return bundle as Type.Static<typeof FileBundle>;
}

export interface Upload {
  readonly body: AsyncIterable<Buffer>;
  /** Whether the body is a JSON bundle of several text files instead of a single file. */
  readonly isBundle: boolean;
  readonly fileName: string;
  /** Content length that the request declares; `null` if the request declares none. */
  readonly declaredBytes: number | null;
}

/** Reports a full or read-only disk to the caller, because the operator has to fix it. */
function rejectDiskError(error: unknown): never {
  const message = explainDiskError(error, tmpdir());
  if (message === null) throw error;
  throw new KnownError("unavailable", { message: `The upload cannot be stored: ${message}` });
}

/**
 * Stores uploads in a temporary folder while `work` runs. File names from clients are never used as
 * paths.
 */
export async function withUploadedFiles<Value>(
  { body, isBundle, fileName, declaredBytes }: Upload,
  work: (files: readonly ImportFile[]) => Promise<Value>,
): Promise<Value> {
  const maxBytes = isBundle ? maxBundleBytes : maxFileBytes;
  if (declaredBytes !== null && declaredBytes > maxBytes) throw createTooLarge(isBundle);
  const folder = await mkdtemp(join(tmpdir(), "vedette-import-")).catch(rejectDiskError);
  try {
    if (!isBundle) {
      const path = join(folder, "file-0");
      await pipeline(limitBytes(body, false), createWriteStream(path, { mode: 0o600 }));
      return await work([{ name: fileName, path }]);
    }
    const { files } = await readBundle(body);
    const stored = files.map(({ name }, index) => ({ name, path: join(folder, `file-${index}`) }));
    for (const [index, { path }] of stored.entries()) {
      await writeFile(path, files[index]?.content ?? "", { mode: 0o600 });
    }
    return await work(stored);
  } catch (error) {
    return rejectDiskError(error);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
