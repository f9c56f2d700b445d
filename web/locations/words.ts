/** UI text of the locations screens. */
export const words = {
  title: "Locations",
  notLoaded: "Locations could not be loaded",
  inUse: "Locations in use",
  others: (count: number) => `${count} other locations`,
  othersText:
    "No check uses them and no probe reports from them. If a check selects one, the built-in probe runs it until a probe for that location reports.",
  none: "No probe is online",
  noneText:
    "No checks run: the built-in probe is disabled and no other probe reports. Restart the server with BUILT_IN_PROBE=true, or add a probe.",
  servedBy: {
    "own-probe": "probe at this location",
    "built-in-probe": "built-in probe of the server",
    nobody: "no probe; checks do not run",
  },
  health: {
    alive: "online",
    suspect: "suspect: cannot reach its anchors, results are ignored",
    limited: "online, with limitations",
    silent: "offline",
    elsewhere: "run by the built-in probe",
    nobody: "no probe",
    quarantined: "quarantined: results are ignored",
    wrongClock: "online, but its clock is wrong",
    noProbeYet: "waiting for its first probe",
    dark: "offline: its checks have no results",
  },
  checks: (count: number) => (count === 1 ? "1 check" : `${count} checks`),
  allChecks: "Show checks",
  agrees: (agreeing: number, shared: number) => `${agreeing} of ${shared} agree`,
  agreesLong: (agreeing: number, shared: number) =>
    `${agreeing} of ${shared === 1 ? "1 check that also runs" : `${shared} checks that also run`} elsewhere ${agreeing === 1 ? "has" : "have"} the same state here as at most other locations.`,
  onlyHere: (count: number) =>
    count === 1
      ? "1 check fails here and at no other location."
      : `${count} checks fail here and at no other location.`,
  noneShared: "No check here has a result from another location to compare with.",
  noResults: "No results from this location yet.",
  lastResult: "Last run",
  lastSeen: "last seen",
  probes: "Probes",
  noProbes: "No probe is online at this location.",
  probe: {
    builtIn: "built into the server",
    version: "Version",
    started: "Uptime",
    seen: "Last seen",
    clock: "Clock",
    ownClock: "same as the server",
    ipv4: "IPv4",
    ipv6: "IPv6",
    noAddress: "none",
    limitations: "Limitations",
    transport: "Connected",
    transports: { "built-in": "inside the server", websocket: "over WebSocket", nats: "over NATS" },
    skew: (ms: number) =>
      ms === 0
        ? "in sync with the server"
        : `${(Math.abs(ms) / 1000).toLocaleString(undefined, { maximumFractionDigits: 3 })} s ${ms > 0 ? "ahead of" : "behind"} the server`,
    skewWrong:
      "Synchronise it with NTP. Until then, the server corrects the timestamps of its runs.",
    spool: "Unsent results",
    compared: "Compared with other probes",
    agreement: (compared: number, disagreeing: number) =>
      disagreeing === 0
        ? `agrees on ${compared === 1 ? "1 check" : `all ${compared} checks`}`
        : `disagrees on ${disagreeing} of ${compared} checks`,
    key: "Key",
  },
  addresses: "Source IP addresses",
  addressesText: "Allow these addresses in your firewall.",
  copy: "Copy addresses",
  comparison: "Compared with other locations",
  back: "Locations",
  unknown: "Location not found",
  unknownText:
    "It is not a known location, and no probe has reported from it in the last seven days.",
  publicPlaces: "Public locations",
  own: {
    title: "Private locations",
    intro: "Your own offices, data centres and internal networks.",
    create: "New private location",
    empty: "No private locations yet",
    emptyText:
      "Create one, start a probe there with one command, and run checks inside your network without opening a port.",
    notLoaded: "Private locations could not be loaded",
    name: "Name",
    nameHint: "Shown in the application.",
    slug: "Slug",
    slugHint: "The identifier used in the API: letters, digits and hyphens.",
    slugRenames: "Checks and groups that use it are updated.",
    createIt: "Create",
    save: "Save",
    saved: "The private location was saved.",
    rename: "Rename",
    remove: "Delete",
    removeTitle: (name: string) => `Delete ${name}?`,
    removeText:
      "Its keys stop working immediately and its probes are disconnected. Stored results are not deleted. This cannot be undone.",
    removed: "The private location was deleted.",
    inUse: "Show the checks that use it",
    probeCount: (count: number) =>
      count === 0 ? "no probe" : count === 1 ? "1 probe" : `${count} probes`,
    unknown: "Used by checks, but not created",
    unknownText:
      "These checks use private locations that do not exist, so they do not run there. Create the location, or remove it from the checks.",
    createNamed: (slug: string) => `Create ${slug}`,
  },
  add: {
    title: "Add a probe",
    intro:
      "A probe runs on a machine at the location. It opens one outbound connection to this server; no inbound port is needed.",
    start: "No probe has connected yet. Run one of these commands on a machine at the location:",
    lostKey:
      "Replace <key> with the key that was shown when it was created. “Add a probe” creates a new key and shows the complete command.",
    once: "This key is shown only once. Use a separate key for each probe, so that you can revoke one without the others.",
    shell: "In a checkout of Vedette, after npm ci",
    container: "Or in a container",
    image: "The image is built from a checkout: docker build -t vedette .",
    loopback: (origin: string) =>
      `${origin} is reachable on this machine only. On another machine or in a container, write the address of this server instead.`,
    copyShell: "Copy command",
    copyContainer: "Copy container command",
    waiting: "Waiting for the probe. It appears here a few seconds after it starts.",
    arrived: (id: string) => `${id} is connected and ready to run checks.`,
    done: "Done",
  },
  keys: {
    title: "Keys",
    none: "No keys. No probe can connect.",
    masked: "Key",
    created: "Created",
    used: "Last used",
    never: "never",
    revoke: "Revoke",
    revokeTitle: (masked: string) => `Revoke the key ${masked}?`,
    revokeText: (count: number) =>
      count === 0
        ? "No online probe uses it."
        : count === 1
          ? "The probe that uses it is disconnected within a second."
          : `The ${count} probes that use it are disconnected within a second.`,
    revoked: "The key was revoked.",
  },
  quarantine: {
    put: "Quarantine",
    title: (id: string) => `Quarantine ${id}?`,
    text: "Its results no longer count. Other probes at the location take over.",
    last: "It is the only probe at this location: its checks have no results until you release it.",
    reason: "Reason",
    reasonHint: "Shown beside the probe.",
    done: (id: string) => `${id} is quarantined.`,
    since: "Quarantined since",
    release: "Release",
    releaseTitle: (id: string) => `Release ${id} from quarantine?`,
    releaseText: "Its results count again from its next run.",
    released: (id: string) => `${id} was released from quarantine.`,
  },
  waiting: {
    title: "Queued runs",
    none: "No run was queued in the last 24 hours.",
    most: (count: number) =>
      `At most ${count === 1 ? "1 run was" : `${count} runs were`} queued in the last 24 hours`,
    oldest: (seconds: number) => `the oldest for ${seconds} s`,
    chart: "Queued runs in the last 24 hours",
  },
};
