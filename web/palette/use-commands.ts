import { useMantineColorScheme } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouterState } from "@tanstack/react-router";
import { openAgent } from "../agent/index.ts";
import { channelsQuery, describeChannel, sendMutes } from "../alerts/index.ts";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { signOut, useMay } from "../api/session.ts";
import { dashboardsQuery } from "../dashboards/index.ts";
import { overviewQuery } from "../now/index.ts";
import { peopleQuery, policiesQuery } from "../on-call/index.ts";
import { showNotice } from "../parts/notices.tsx";
import { groupNamesQuery } from "../parts/queries.ts";
import { pagesQuery } from "../status-pages/index.ts";
import {
  type Command,
  filterCommands,
  listActions,
  listGuides,
  listPlaces,
  listVerbs,
  readVerb,
  searchDocs,
  type Verb,
  verbs,
} from "./commands.ts";
import { openIncidentsQuery, searchQuery, variablesQuery, windowsQuery } from "./queries.ts";
import { words } from "./words.ts";

/** Maximum number of results per object type, such as status pages or channels. */
const maxOfEach = 5;

/** Returns commands for objects found by name. The objects load when the user starts typing. */
function useObjectCommands(text: string): Command[] {
  const rest = { enabled: text !== "", staleTime: 60_000 };
  const pages = useQuery({ ...pagesQuery, ...rest });
  const dashboards = useQuery({ ...dashboardsQuery, ...rest });
  const channels = useQuery({ ...channelsQuery, ...rest });
  const variables = useQuery({ ...variablesQuery, ...rest });
  const policies = useQuery({ ...policiesQuery, ...rest });
  const windows = useQuery({ ...windowsQuery, ...rest });
  const people = useQuery({ ...peopleQuery, ...rest });
  if (text === "") return [];
  const found: Command[][] = [
    (pages.data ?? []).map(({ id, name }) => ({
      id: `page-${id}`,
      section: "statusPages",
      label: name,
      href: `/status-pages/${id}/editor`,
    })),
    (dashboards.data ?? []).map(({ dashboardId, header }) => ({
      id: `dashboard-${dashboardId}`,
      section: "dashboards",
      label: header,
      href: `/edit-dashboard/${dashboardId}`,
    })),
    (channels.data ?? []).map((channel) => ({
      id: `channel-${channel.id}`,
      section: "channels",
      label: describeChannel(channel),
      href: `/alerts/channels/${channel.id}`,
    })),
    (policies.data ?? []).map(({ id, name }) => ({
      id: `policy-${id}`,
      section: "policies",
      label: name,
      href: `/on-call/policies/${id}`,
    })),
    (windows.data ?? []).map(({ id, name }) => ({
      id: `window-${id}`,
      section: "maintenance",
      label: name,
      href: `/alerts/maintenance/${id}`,
    })),
    (people.data ?? []).map(({ userId, name }) => ({
      id: `member-${userId}`,
      section: "members",
      label: name,
      href: "/settings/members",
    })),
    (variables.data ?? []).map(({ key }) => ({
      id: `variable-${key}`,
      section: "variables",
      label: key,
      href: "/settings/variables",
    })),
  ];
  return found.flatMap((commands) => filterCommands(commands, text).slice(0, maxOfEach));
}

function useIncidentCommands(): Command[] {
  const { data } = useQuery(openIncidentsQuery);
  return (data?.entries ?? []).map(({ id, name, services }) => ({
    id: `incident-${id}`,
    section: "incidents",
    label: name,
    detail: services.map((service) => service.name).join(", "),
    href: `/incidents/${id}`,
  }));
}

const maxGroups = 5;

async function attempt(work: Promise<unknown>, done: string): Promise<void> {
  try {
    await work;
    showNotice({ text: done });
  } catch (error) {
    const why = error instanceof Error ? error.message : "";
    showNotice({ text: words.failed(why), tone: "bad" });
  }
}

function useThemeCommands(): Command[] {
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  return (["auto", "light", "dark"] as const).map((scheme) => ({
    id: `theme-${scheme}`,
    section: "actions",
    label: words.theme[scheme],
    run: () => setColorScheme(scheme),
  }));
}

/** Starts a run of a check. */
async function runCheck(checkId: string): Promise<void> {
  const body = { target: { checkId: [checkId] } };
  await send(api.POST("/v2/check-sessions/trigger", { body }));
}

/** Mutes or unmutes a check. Unmuting also ends the check's time-limited mutes. */
async function changeMute(checkId: string, action: "mute" | "unmute"): Promise<void> {
  await send(api.POST("/v1/checks/bulk", { body: { ids: [checkId], action } }));
  if (action === "unmute") await sendMutes([{ type: "CHECK", checkId }], { mutedUntil: null });
}

/** Returns commands for open alerts, and commands that mute or unmute the check on the screen. */
function useCheckCommands(): Command[] {
  const queryClient = useQueryClient();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const { data } = useQuery({ ...overviewQuery, refetchInterval: false });
  const mayRun = useMay("run");
  const mayWrite = useMay("write");
  const renew = () => renewQueries(queryClient, ["now"]);
  const open = (data?.checks ?? []).filter(
    ({ alert }) => alert !== null && alert.acknowledgedAt === null,
  );
  const acknowledge = open.map(
    ({ checkId, name }): Command => ({
      id: `acknowledge-${checkId}`,
      section: "actions",
      label: words.acknowledge(name),
      run: () => {
        const params = { path: { checkId } };
        const done = send(api.POST("/v1/check-alerts/{checkId}/acknowledge", { params }));
        void attempt(done, words.acknowledged(name)).then(renew);
      },
    }),
  );
  const stories = (data?.checks ?? []).flatMap(({ checkId, name, alert }): Command[] =>
    alert?.alertId == null
      ? []
      : [
          {
            id: `story-${checkId}`,
            section: "go",
            label: words.story(name),
            href: `/alerts/${alert.alertId}`,
          },
        ],
  );
  const shown = /^\/checks\/([0-9a-f-]{36})/.exec(path)?.[1];
  const change = (action: "mute" | "unmute"): Command => ({
    id: action,
    section: "actions",
    label: words[action],
    run: () => {
      void attempt(changeMute(shown ?? "", action), words[`${action}d`]).then(() =>
        Promise.all([renewQueries(queryClient, ["checks"]), renewQueries(queryClient, ["mutes"])]),
      );
    },
  });
  return [
    ...stories,
    ...(mayRun ? acknowledge : []),
    ...(mayWrite && shown !== undefined ? [change("mute"), change("unmute")] : []),
  ];
}

type Found = readonly { readonly checkId: string; readonly name: string }[];

/**
 * Returns the actions on the found checks: the typed verb on each, or all verbs if one check was
 * found.
 */
function useActionsOn(found: Found, typedVerb: Verb | null): Command[] {
  const queryClient = useQueryClient();
  const mayRun = useMay("run");
  const mayWrite = useMay("write");
  const renew = () =>
    Promise.all([renewQueries(queryClient, ["checks"]), renewQueries(queryClient, ["mutes"])]);
  const isOffered = (verb: Verb) =>
    (verb === "run" ? mayRun : mayWrite) &&
    (typedVerb === null ? found.length === 1 : verb === typedVerb);
  const perform = (verb: Exclude<Verb, "edit">, { checkId, name }: Found[number]) => {
    const work = verb === "run" ? runCheck(checkId) : changeMute(checkId, verb);
    void attempt(work, words.didOn[verb](name)).then(renew);
  };
  return verbs.filter(isOffered).flatMap((verb) =>
    found.map((check) => ({
      id: `${verb}-${check.checkId}`,
      section: "actions" as const,
      label: words.doOn[verb](check.name),
      ...(verb === "edit"
        ? { href: `/checks/${check.checkId}/edit` }
        : { run: () => perform(verb, check) }),
    })),
  );
}

export interface FoundCommands {
  readonly commands: readonly Command[];
  readonly isSearching: boolean;
  readonly hasFailed: boolean;
}

/** Returns the commands for the typed text: screens, actions, and objects such as checks. */
export function useCommands(
  typed: string,
  settled: string,
  onShortcuts: () => void,
): FoundCommands {
  const { verb, search: wanted } = readVerb(settled);
  const search = wanted.slice(0, 255);
  const text = typed.trim();
  const mayWrite = useMay("write");
  const found = useQuery(searchQuery(search));
  const groups = useQuery(groupNamesQuery);
  const ofIncidents = useIncidentCommands();
  const things = useObjectCommands(search);
  const themes = useThemeCommands();
  const ofChecks = useCheckCommands();
  const foundChecks = search === "" || text === "" ? [] : (found.data?.entries ?? []);
  const onChecks = useActionsOn(foundChecks, verb);
  const checks: Command[] = foundChecks.map(({ checkId, name, target }) => ({
    id: checkId,
    section: "checks",
    label: name,
    detail: target,
    href: `/checks/${checkId}`,
  }));
  const ofGroups: Command[] = (groups.data ?? []).map(({ id, name }) => ({
    id: `group-${id}`,
    section: "groups",
    label: name,
    href: `/groups/${id}`,
  }));
  const actions: Command[] = [
    ...ofChecks,
    ...(mayWrite ? listActions() : []),
    ...themes,
    { id: "agent", section: "actions", label: words.askAgent, detail: "a", run: openAgent },
    { id: "shortcuts", section: "actions", label: words.shortcuts, detail: "?", run: onShortcuts },
    {
      id: "sign-out",
      section: "actions",
      label: words.signOut,
      run: () =>
        void signOut().catch((error: Error) =>
          showNotice({ text: words.failed(error.message), tone: "bad" }),
        ),
    },
  ];
  const fitting = filterCommands([...listPlaces(), ...actions], text);
  const fittingIncidents = text === "" ? [] : filterCommands(ofIncidents, text).slice(0, maxGroups);
  const fittingGroups = text === "" ? [] : filterCommands(ofGroups, text).slice(0, maxGroups);
  const docs =
    text === ""
      ? []
      : [...filterCommands(listGuides(), text).slice(0, maxGroups), searchDocs(text)];
  return {
    commands: [
      ...listVerbs(text).filter(() => mayWrite),
      ...(verb === null ? [] : onChecks),
      ...checks,
      ...(verb === null ? onChecks : []),
      ...fittingGroups,
      ...fittingIncidents,
      ...things,
      ...fitting,
      ...docs,
    ],
    isSearching: text !== settled.trim() || (found.isFetching && search !== ""),
    hasFailed: found.isError && search !== "",
  };
}
