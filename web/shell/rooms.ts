import type { ComponentType } from "react";
import { BellIcon, FolderIcon, GearIcon, ListIcon, PulseIcon } from "../parts/icons.tsx";

export interface Room {
  readonly to: string;
  readonly label: string;
  readonly Icon: ComponentType<{ readonly size?: number }>;
}

/** The rooms in the rail, and in the bar at the bottom of a phone. */
export const rooms: readonly Room[] = [
  { to: "/", label: "Now", Icon: PulseIcon },
  { to: "/checks", label: "Checks", Icon: ListIcon },
  { to: "/groups", label: "Groups", Icon: FolderIcon },
  { to: "/alerts", label: "Alerts", Icon: BellIcon },
  { to: "/settings", label: "Settings", Icon: GearIcon },
];
