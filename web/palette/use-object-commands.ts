/** Commands for status pages, dashboards, channels and variables, found by name. */

import { useQuery } from "@tanstack/react-query";
import { channelsQuery, describeChannel } from "../alerts/index.ts";
import { dashboardsQuery } from "../dashboards/index.ts";
import { pagesQuery } from "../status-pages/index.ts";
import { type Command, filterCommands } from "./commands.ts";
import { variablesQuery } from "./queries.ts";

const maxOfEach = 5;

/** Loaded when the user starts typing, and not again for every key. */
export function useObjectCommands(text: string): Command[] {
  const rest = { enabled: text !== "", staleTime: 60_000 };
  const pages = useQuery({ ...pagesQuery, ...rest });
  const dashboards = useQuery({ ...dashboardsQuery, ...rest });
  const channels = useQuery({ ...channelsQuery, ...rest });
  const variables = useQuery({ ...variablesQuery, ...rest });
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
    (variables.data ?? []).map(({ key }) => ({
      id: `variable-${key}`,
      section: "variables",
      label: key,
      href: "/settings/variables",
    })),
  ];
  return found.flatMap((commands) => filterCommands(commands, text).slice(0, maxOfEach));
}
