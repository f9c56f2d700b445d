/** Words of the locations room. */
export const words = {
  title: "Locations",
  notLoaded: "Locations could not be loaded",
  inUse: "Where checks run",
  others: (count: number) => `${count} other names that checks can use`,
  othersText:
    "No check names them and no probe reports from them. A check that does runs at the built-in probe until a probe of that name reports.",
  none: "No probe is alive",
  noneText:
    "Nothing is being checked: the server's own probe is switched off, and no other probe reports. Start the server with BUILT_IN_PROBE=true.",
  servedBy: {
    "own-probe": "its own probe",
    "built-in-probe": "the server's built-in probe",
    nobody: "nobody: checks there do not run",
  },
  health: {
    alive: "alive",
    suspect: "cannot reach its anchors: its results do not count",
    limited: "alive, with limitations",
    silent: "silent",
    elsewhere: "run by the built-in probe",
    nobody: "nobody runs checks there",
  },
  checks: (count: number) => (count === 1 ? "1 check" : `${count} checks`),
  allChecks: "Show its checks",
  agrees: (agreeing: number, shared: number) => `${agreeing} of ${shared} agree`,
  agreesLong: (agreeing: number, shared: number) =>
    `Of the ${shared === 1 ? "1 check that also runs" : `${shared} checks that also run`} elsewhere, ${agreeing} ${agreeing === 1 ? "looks" : "look"} the same from here as from most other locations.`,
  onlyHere: (count: number) =>
    count === 1
      ? "1 check fails here and at no other location."
      : `${count} checks fail here and at no other location.`,
  noneShared: "None of its checks has a result from another location to compare with.",
  noResults: "There is no result from here yet.",
  lastResult: "Newest run",
  lastSeen: "last seen",
  probes: "Probes",
  noProbes: "No probe has reported from here in the last seven days.",
  probe: {
    builtIn: "built into the server",
    version: "Version",
    started: "Running for",
    seen: "Last seen",
    clock: "Clock",
    ownClock: "the server's own",
    ipv4: "IPv4",
    ipv6: "IPv6",
    noAddress: "none",
    limitations: "Limitations",
  },
  addresses: "Addresses that checks come from",
  addressesText: "Let them through your firewall.",
  copy: "Copy the addresses",
  comparison: "Compared with other locations",
  back: "Locations",
  unknown: "There is no such location",
  unknownText: "No check can name it, and no probe has reported from it in the last seven days.",
};
