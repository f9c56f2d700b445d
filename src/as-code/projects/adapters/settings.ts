import { isDeepStrictEqual } from "node:util";
import {
  CertificateBody,
  createCertificate,
  decideCertificate,
  listOwnCertificates,
  removeCertificate,
} from "../../../checks/client-certificates/index.ts";
import {
  changeSnippet,
  createSnippet,
  listOwnSnippets,
  removeSnippet,
  SnippetBody,
} from "../../../checks/snippets/index.ts";
import {
  changeVariable,
  createVariable,
  isHidden,
  listAllVariables,
  openValue,
  removeVariable,
  VariableBody,
} from "../../../checks/variables/index.ts";
import { invalid } from "../../../platform/errors.ts";
import { assertSchema } from "../../../platform/http/validation.ts";
import { type Definition, type Fields, toFields } from "../resource.ts";
import { type Adapter, createEach, describePlain, listIdsOf, readPages } from "./adapter.ts";

/**
 * Adapters of types that only the files of `vedette apply` contain. Existing clients do not know
 * them.
 */

const mask = "********";

interface VariableInput {
  readonly key: string;
  readonly value: string;
  readonly locked: boolean;
  readonly secret: boolean;
}

function describeVariable(clear: Fields): Definition {
  return { clear, shown: isHidden(clear) ? { ...clear, value: mask } : clear };
}

/** Adapter of environment variables. The id of a variable is its key. */
export const variableAdapter: Adapter<VariableInput> = {
  hasNumbers: false,
  listIds: async ({ context, caller }) =>
    (await listAllVariables(context.db, caller.accountId)).map(({ key }) => key).sort(),
  parse: (payload, stored) => {
    const body = structuredClone(payload) as unknown as VariableInput;
    assertSchema(VariableBody, body);
    const { key, locked = false, secret = false } = body;
    const isMasked = body.value === mask && isHidden(stored ?? {});
    const value = isMasked ? String(stored?.value) : body.value;
    const input = { key, value, locked, secret };
    return { input, definition: describeVariable(input) };
  },
  load: async ({ context, caller }, ids) => {
    const asked = new Set(ids);
    const found = await listAllVariables(context.db, caller.accountId);
    return new Map(
      found
        .filter(({ key }) => asked.has(key))
        .map((one) => {
          const { key, locked = false, secret = false } = one;
          const value = openValue(one, context.encryption);
          return [key, describeVariable({ key, value, locked, secret })];
        }),
    );
  },
  create: ({ context, caller }, items) =>
    createEach(items, async (input) => (await createVariable(context, caller, input)).key),
  change: async ({ context, caller }, _id, input) => {
    await changeVariable(context, caller, input);
  },
  remove: async ({ context, caller }, ids) => {
    for (const key of ids) await removeVariable(context, caller, key);
  },
  mustReplace: (stored, desired) => stored.key !== desired.key,
};

interface SnippetInput {
  readonly name: string;
  readonly script: string;
}

export const snippetAdapter: Adapter<SnippetInput> = {
  hasNumbers: true,
  listIds: async ({ context, caller }) =>
    listIdsOf(
      await readPages(async (page) => (await listOwnSnippets(context, caller, page)).snippets),
    ),
  parse: (payload) => {
    const body = structuredClone(payload) as unknown as SnippetInput;
    assertSchema(SnippetBody, body);
    const input = { name: body.name, script: body.script };
    return { input, definition: describePlain(input) };
  },
  load: async ({ context, caller }, ids) => {
    const asked = new Set(ids);
    const found = await readPages(
      async (page) => (await listOwnSnippets(context, caller, page)).snippets,
    );
    return new Map(
      found
        .filter(({ id }) => asked.has(String(id)))
        .map(({ id, name, script }) => [String(id), describePlain({ name, script })]),
    );
  },
  create: ({ context, caller }, items) =>
    createEach(items, async (input) => String((await createSnippet(context, caller, input)).id)),
  change: async ({ context, caller }, id, input) => {
    await changeSnippet(context, caller, { id: Number(id), input });
  },
  remove: async ({ context, caller }, ids) => {
    for (const id of ids) await removeSnippet(context, caller, Number(id));
  },
};

interface CertificateInput {
  readonly host: string;
  readonly cert: string;
  readonly ca: string | null;
  readonly key: string;
}

const describeCertificate = (clear: Fields): Definition => {
  return { clear: toFields(clear), shown: { ...toFields(clear), key: mask } };
};

/** Adapter of client certificates. A certificate is never changed: a different one replaces it. */
export const certificateAdapter: Adapter<CertificateInput> = {
  hasNumbers: false,
  listIds: async ({ context, caller }) => listIdsOf(await listOwnCertificates(context, caller)),
  parse: (payload, stored) => {
    const isMasked = payload.key === mask && stored !== null;
    const given = isMasked ? { ...payload, key: stored.key } : payload;
    const body = structuredClone(given) as unknown as CertificateInput;
    assertSchema(CertificateBody, body);
    const decision = decideCertificate(body);
    if (decision.kind === "fault") throw invalid(decision.fault.key, decision.fault.rule);
    const { host, certificate: cert, ca, key } = decision.certificate;
    const input = { host, cert, ca, key };
    return { input, definition: describeCertificate(input) };
  },
  load: async ({ context, caller }, ids) => {
    const asked = new Set(ids);
    const found = await listOwnCertificates(context, caller);
    return new Map(
      found
        .filter(({ id }) => asked.has(id))
        .map(({ id, host, certificate: cert, ca, sealedKey }) => {
          const key = context.encryption.tryDecrypt(sealedKey);
          return [id, describeCertificate({ host, cert, ca, key })];
        }),
    );
  },
  create: ({ context, caller }, items) =>
    createEach(items, async (input) => (await createCertificate(context, caller, input)).id),
  change: async () => {},
  remove: async ({ context, caller }, ids) => {
    for (const id of ids) await removeCertificate(context, caller, id);
  },
  mustReplace: (stored, desired) => !isDeepStrictEqual(stored, desired),
};
