import { callTool, type Found, type Plan, together } from "../../plan.ts";
import type { ListChannelsData } from "../../tools/tool-data.ts";
import { quote, writeCount, writeList } from "../../wording.ts";
import { checkIdsOf, isUnclear, type Situation, taggedIds } from "../situation.ts";
import { describeScopes, scopesOf } from "./scopes.ts";

type Channel = ListChannelsData["channels"][number];

const maxListed = 12;

/**
 * Answers which channels receive the alerts of the named checks or of the account, or which checks
 * send alerts to a named channel.
 */
export function* planChannels(situation: Situation): Plan<void> {
  const { intent } = situation;
  if (isUnclear(situation, "where its alerts go")) return;
  if (/\bCHECK\b.*\bWHO\b|\b(?:WHO|NOT)\b.*\bCHECK\b/.test(intent.canonical)) {
    return yield* listWithoutChannel(situation);
  }
  const found = yield* callTool("list_channels", {});
  if (found === null) return;
  const named = intent.subject.things.filter(({ kind }) => kind === "channel");
  if (named.length > 0) {
    for (const { id } of named) {
      const channel = found.data.channels.find(({ channelId }) => `${channelId}` === id);
      if (channel !== undefined) writeChannel(situation, found, channel);
    }
    return;
  }
  const ids = [...checkIdsOf(intent), ...taggedIds(situation)];
  if (ids.length > 0 || scopesOf(situation).length > 0) {
    writeRoutes(situation, found, ids);
    return;
  }
  writeAll(situation, found);
}

function describeReach({ checks, groups }: Channel): string {
  if (checks.length === 0) return "no check alerts through it";
  const through =
    groups.length === 0 ? "" : `, through the group ${writeList(groups.map((one) => quote(one)))}`;
  return `alerts of ${writeList(
    checks.map(({ name }) => quote(name)),
    8,
  )}${through}`;
}

function writeChannel(
  { answer }: Situation,
  found: Found<ListChannelsData>,
  channel: Channel,
): void {
  const cited = answer.cite(found, `channel-${channel.channelId}`);
  const sends = writeList(channel.sends.map((one) => (one === "degraded" ? "degradation" : one)));
  answer.line(
    `${quote(channel.recipient)} (${channel.type}): ${describeReach(channel)}; it tells ${sends}.${cited}`,
  );
}

function writeAll(situation: Situation, found: Found<ListChannelsData>): void {
  const { answer } = situation;
  const { channels } = found.data;
  if (channels.length === 0) {
    answer.line("There are no alert channels: nobody is notified.");
    return;
  }
  answer.line(`${writeCount(channels.length, "alert channel")}:`);
  for (const channel of channels.slice(0, maxListed)) {
    const cited = answer.cite(found, `channel-${channel.channelId}`);
    const count =
      channel.checks.length === 0 ? "no check" : writeCount(channel.checks.length, "check");
    answer.item(`${quote(channel.recipient)} (${channel.type}): ${count}.${cited}`);
  }
  if (channels.length > maxListed) answer.line(`And ${channels.length - maxListed} more.`);
}

/**
 * Writes which channels receive the alerts of the given checks. For several checks, also writes
 * which of them alert through each channel.
 */
function writeRoutes(
  situation: Situation,
  found: Found<ListChannelsData>,
  ids: readonly string[],
): void {
  const { answer, intent } = situation;
  const reached = found.data.channels
    .map((channel) => ({
      channel,
      covered: channel.checks.filter(({ checkId }) => ids.includes(checkId)),
    }))
    .filter(({ covered }) => covered.length > 0);
  const [only] = intent.subject.checks;
  const scope = describeScopes(situation);
  const whose = scope === "" && only !== undefined ? ` of ${quote(only.name)}` : scope;
  if (reached.length === 0) {
    answer.line(`Alerts${whose} go to nobody: no channel has them.`);
    return;
  }
  const names = reached.map(({ channel }) => quote(channel.recipient));
  const cited = answer.cite(found, ...reached.map(({ channel }) => `channel-${channel.channelId}`));
  answer.line(`Alerts${whose} go to ${writeList(names)}.${cited}`);
  if (ids.length < 2) return;
  for (const { channel, covered } of reached.slice(0, maxListed)) {
    const which =
      covered.length === ids.length
        ? "all of them"
        : writeList(covered.map(({ name }) => quote(name)));
    answer.item(`${quote(channel.recipient)}: ${which}.`);
  }
}

/** Lists checks whose failure would alert nobody. */
function* listWithoutChannel({ answer }: Situation): Plan<void> {
  const [found, checks] = yield* together(
    callTool("list_channels", {}),
    callTool("list_checks", { limit: 200 }),
  );
  if (found === null || checks === null) return;
  const covered = new Set(found.data.channels.flatMap((one) => one.checks.map((c) => c.checkId)));
  const unheard = checks.data.checks.flatMap((check) => {
    const why = [
      covered.has(check.checkId) ? "" : "no channel",
      check.muted ? "muted" : "",
      check.activated ? "" : "switched off",
    ].filter(Boolean);
    return why.length === 0 ? [] : [{ check, why }];
  });
  if (unheard.length === 0) {
    answer.line(`Every check alerts somebody.${answer.cite(checks)}`);
    return;
  }
  answer.line(`${writeCount(unheard.length, "check")} would alert nobody:`);
  for (const { check, why } of unheard.slice(0, maxListed)) {
    answer.item(`${quote(check.name)}: ${writeList(why)}.${answer.cite(checks, check.checkId)}`);
  }
  if (unheard.length > maxListed) answer.line(`And ${unheard.length - maxListed} more.`);
}
