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
    quarantined: "in quarantine: its results do not count",
    wrongClock: "alive, but its clock is wrong",
    noProbeYet: "waits for its first probe",
    dark: "silent: checks there have no results",
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
  noProbes: "No probe is here now.",
  ranHere: (name: string) => `This server, shown as ${name}`,
  ranInstead: (name: string) => `This server, as ${name} has no probe`,
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
    transport: "Connected",
    transports: { "built-in": "inside the server", websocket: "over WebSocket", nats: "over NATS" },
    skew: (ms: number) =>
      ms === 0
        ? "in step with the server"
        : `${(Math.abs(ms) / 1000).toLocaleString(undefined, { maximumFractionDigits: 3 })} s ${ms > 0 ? "ahead of" : "behind"} the server`,
    skewWrong: "Set it by NTP. Times of its runs are corrected meanwhile.",
    spool: "Results to send",
    compared: "Beside its neighbours",
    agreement: (compared: number, disagreeing: number) =>
      disagreeing === 0
        ? `sees ${compared === 1 ? "1 check" : `${compared} checks`} as they do`
        : `sees ${disagreeing} of ${compared} checks differently`,
    key: "Key",
  },
  addresses: "Addresses that checks come from",
  addressesText: "Let them through your firewall.",
  copy: "Copy the addresses",
  comparison: "Compared with other locations",
  back: "Locations",
  unknown: "There is no such location",
  unknownText: "No check can name it, and no probe has reported from it in the last seven days.",
  publicPlaces: "Public locations",
  own: {
    title: "Private locations",
    intro: "Places of your own: offices, data centres, networks that nobody reaches from outside.",
    create: "New private location",
    empty: "No private locations yet",
    emptyText:
      "Create one, start a probe there with one command, and let checks run from it: inside your network, without opening a port.",
    notLoaded: "Private locations could not be loaded",
    name: "Name",
    nameHint: "What people call it.",
    slug: "Slug",
    slugHint: "What checks call it: letters, digits and hyphens.",
    slugRenames: "Checks and groups that name it follow.",
    createIt: "Create",
    save: "Save",
    saved: "The private location was saved.",
    rename: "Rename",
    remove: "Delete",
    removeTitle: (name: string) => `Delete ${name}?`,
    removeText:
      "Its keys stop working at once, and its probes are disconnected. Results that were recorded stay. It cannot be undone.",
    removed: "The private location was deleted.",
    inUse: "Show the checks that name it",
    probeCount: (count: number) =>
      count === 0 ? "no probe" : count === 1 ? "1 probe" : `${count} probes`,
    unknown: "In checks, but not created",
    unknownText:
      "These checks name private locations that do not exist, so that nobody runs them there. Create the location, or take the name out of the checks.",
    createNamed: (slug: string) => `Create ${slug}`,
  },
  add: {
    title: "Add a probe",
    intro:
      "A probe runs on a machine at the location. It opens one connection to this server; nothing needs to reach it from outside.",
    start: "No probe has come in yet. Run one of these on a machine at the location:",
    lostKey:
      "<key> is the key that was shown when it was made. “Add a probe” makes another one and shows the whole command.",
    once: "This key is shown once. Give each probe its own, so that you can shut out one of them alone.",
    shell: "In a copy of Vedette, after npm ci",
    container: "Or in a container",
    copyShell: "Copy the command",
    copyContainer: "Copy the container's command",
    waiting: "Waiting for the probe. It appears here a few seconds after it has started.",
    arrived: (id: string) => `${id} is here and takes orders.`,
    done: "Done",
  },
  keys: {
    title: "Keys",
    none: "No key: no probe can come in.",
    masked: "Key",
    created: "Created",
    used: "Last used",
    never: "never",
    revoke: "Revoke",
    revokeTitle: (masked: string) => `Revoke the key ${masked}?`,
    revokeText: (count: number) =>
      count === 0
        ? "No probe that is alive came in with it."
        : count === 1
          ? "The probe that came in with it is disconnected within a second."
          : `The ${count} probes that came in with it are disconnected within a second.`,
    revoked: "The key was revoked.",
  },
  quarantine: {
    put: "Put in quarantine",
    title: (id: string) => `Put ${id} in quarantine?`,
    text: "From now on its results count as unknown. Other probes of the location take over.",
    last: "It is the only probe here: the checks of this location will have no results until you let it out.",
    reason: "Why",
    reasonHint: "Whoever looks at the probe sees it.",
    done: (id: string) => `${id} is in quarantine.`,
    since: "In quarantine since",
    release: "Let it out",
    releaseTitle: (id: string) => `Let ${id} out of quarantine?`,
    releaseText: "Its results count again from its next run on.",
    released: (id: string) => `${id} is out of quarantine.`,
  },
  waiting: {
    title: "What waits",
    none: "No run had to wait in the last 24 hours.",
    most: (count: number) =>
      `At most ${count === 1 ? "1 run" : `${count} runs`} waited in the last 24 hours`,
    oldest: (seconds: number) => `the oldest for ${seconds} s`,
    chart: "Runs that waited in the last 24 hours",
  },
};
