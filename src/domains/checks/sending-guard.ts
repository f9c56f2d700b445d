/**
 * Hidden values go only to hosts that they are sent to already. A new host is the decision of an
 * owner or an admin, or of somebody who enters the value: otherwise whoever may write checks could
 * read every secret by a check of a server of their own. See docs/decisions/0067.
 */
import { isDeepStrictEqual } from "node:util";
import { kinds } from "../../kinds/index.ts";
import type { Database } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";
import { KnownError } from "../../platform/errors.ts";
import { type Caller, isAllowed } from "../accounts/index.ts";
import { isHidden, listAllVariables, openValue } from "../variables/index.ts";
import type { Check } from "./check.ts";
import type { CheckGroup, GroupInput } from "./check-group.ts";
import { createOpener, mapSecrets } from "./check-secrets.ts";
import { listDefaultSecretsOfAll, mapDefaultSecrets, pickDefaults } from "./group-defaults.ts";
import { mapGroups } from "./groups/store.ts";
import {
  describeSending,
  findNewlySent,
  isTyped,
  type OpenCheck,
  type Sending,
} from "./sending.ts";
import { listSenders } from "./store.ts";

interface SendingContext {
  readonly db: Database;
  readonly encryption: Encryption;
}

const maxSenders = 2_000;

function mayDecide({ role }: Caller): boolean {
  return isAllowed("admin", role, false);
}

function rejectHidden(what: string): KnownError {
  const message =
    `This would send ${what} to a host that does not get them yet. ` +
    "Ask an owner or admin to do it, or enter the values again.";
  return new KnownError("hiddenValues", { message });
}

function openGroup(group: CheckGroup | null, encryption: Encryption): CheckGroup | null {
  if (group === null) return null;
  return { ...group, settings: mapDefaultSecrets(group.settings, createOpener(encryption)) };
}

async function loadTools({ db, encryption }: SendingContext, accountId: string) {
  const variables = await listAllVariables(db, accountId);
  return { encryption, accountVariables: new Map(variables.map((one) => [one.key, one])) };
}

async function describeStored(
  { db, encryption }: SendingContext,
  accountId: string,
  checks: readonly Check[],
): Promise<Sending[]> {
  const tools = await loadTools({ db, encryption }, accountId);
  const groupIds = checks.flatMap(({ settings }) => settings.groupId ?? []);
  const groups = await mapGroups(db, accountId, [...new Set(groupIds)]);
  const opener = createOpener(encryption);
  return checks.map((check) => {
    const group = openGroup(groups.get(check.settings.groupId ?? 0) ?? null, encryption);
    const settings = mapSecrets(kinds[check.kind], check.settings, opener);
    return describeSending({ ...check, settings, group }, tools);
  });
}

/** `check` has open secrets, `input` is the body of the request. */
export async function assertMaySend(
  context: SendingContext,
  caller: Caller,
  draft: { readonly check: Omit<OpenCheck, "group">; readonly input: object },
  group: CheckGroup | null,
): Promise<void> {
  if (mayDecide(caller) || !kinds[draft.check.kind].isOrdered) return;
  const { accountId } = caller;
  const tools = await loadTools(context, accountId);
  const opened = { ...draft.check, group: openGroup(group, context.encryption) };
  const sending = describeSending(opened, tools);
  const hidden = sending.hidden.filter((source) => !isTyped(source, draft.input));
  if (hidden.length === 0) return;
  const names = hidden.flatMap(({ key }) => /^account (.+)$/.exec(key)?.[1] ?? []);
  const wanted = { ownId: draft.check.id, groupId: group?.id ?? null, names, limit: maxSenders };
  const senders = await listSenders(context.db, accountId, wanted);
  const stored = await describeStored(context, accountId, senders);
  const [first, ...others] = findNewlySent({ ...sending, hidden }, stored);
  if (first === undefined) return;
  throw rejectHidden([first, ...others].map(({ label }) => label).join(", "));
}

function hasHiddenValues({ settings, variables }: CheckGroup): boolean {
  return variables.some(isHidden) || listDefaultSecretsOfAll(settings).length > 0;
}

/** Checks that are moved keep their hosts, which the values of the group were not meant for. */
export function assertMayMove(caller: Caller, group: CheckGroup | null): void {
  if (group === null || mayDecide(caller) || !hasHiddenValues(group)) return;
  throw rejectHidden(`hidden values of the group ${group.name}`);
}

/** The address and the variables of a group decide where its members connect to. */
export function assertMayRedirectGroup(
  { encryption }: Pick<SendingContext, "encryption">,
  caller: Caller,
  {
    before,
    after,
    input,
  }: {
    readonly before: CheckGroup;
    readonly after: CheckGroup;
    readonly input: GroupInput;
  },
): void {
  if (mayDecide(caller) || !hasHiddenValues(before)) return;
  const kept = [
    ...listDefaultSecretsOfAll(mapDefaultSecrets(before.settings, createOpener(encryption))),
    ...before.variables.filter(isHidden).flatMap((one) => openValue(one, encryption) ?? []),
  ];
  const source = { key: "", label: "", values: kept };
  if (isTyped(source, input)) return;
  const show = ({ settings, variables }: CheckGroup) => ({
    defaults: mapDefaultSecrets(pickDefaults(settings), () => ""),
    variables: variables.map((one) => [one.key, isHidden(one), openValue(one, encryption)]),
  });
  if (isDeepStrictEqual(show(before), show(after))) return;
  throw rejectHidden(`hidden values of the group ${before.name}`);
}

/** A variable may be the host of a check that sends hidden values. */
export async function assertMayRedefine(
  context: SendingContext,
  caller: Caller,
  name: string,
): Promise<void> {
  if (mayDecide(caller)) return;
  const { accountId } = caller;
  const wanted = { ownId: null, groupId: null, names: [name], limit: maxSenders };
  const senders = await listSenders(context.db, accountId, wanted);
  const stored = await describeStored(context, accountId, senders);
  const affected = stored.find(
    ({ destinationNames, hidden }) =>
      destinationNames.has(name) && hidden.some(({ key }) => key !== `account ${name}`),
  );
  const [first] = affected?.hidden ?? [];
  if (first !== undefined) throw rejectHidden(first.label);
}
