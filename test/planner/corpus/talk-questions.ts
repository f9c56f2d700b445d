import { type CorpusEntry, entry } from "./entry.ts";

const cannot = "I cannot answer that: I only know the checks";

export const actionQuestions: readonly CorpusEntry[] = [
  entry("run edge-router now", ["run_check edge-router"], ["Not done yet, please confirm: `Run"]),
  entry("rerun the mail gateway", ["run_check Mail"], ["please confirm"]),
  entry("please run edg", [], ["2 checks fit `edg`"]),
  entry(
    "mute edge-router",
    ["mute_check edge-router true"],
    ["Not done yet, please confirm: `Mute"],
  ),
  entry(
    "mute edge-router for 2 hours",
    ['mute_check edge-router true "minutes":120'],
    ["please confirm"],
  ),
  entry(
    "can you unmute the office printer?",
    ["mute_check Office false"],
    ["please confirm: `Unmute"],
  ),
  entry("mute", [], ["Which check do you mean?"]),
  entry("mute every check", [], ["Which check do you mean?"]),
  entry(["mute edge-router", "yes"], [], ["I cannot confirm it for you."]),
  entry(["run edge-router now", "ok, do it"], [], ["I cannot confirm it for you."]),
  entry("delete edge-router", [], ["I cannot do that."]),
  entry("restart edge-router", [], ["I cannot do that."]),
];

export const talkQuestions: readonly CorpusEntry[] = [
  entry("hello", [], ["Hello."]),
  entry("Good morning!", [], ["Hello."]),
  entry("thanks", [], ["You are welcome."]),
  entry("ok thank you", [], ["You are welcome."]),
  entry("help", [], ["what is failing?", "draft an update"]),
  entry("what can you do?", [], ["what is failing?"]),
  entry("what does degraded mean", [], ["Degraded: the latest run reached the degraded limit"]),
  entry("what does P95 mean?", [], ["95 of 100 packets"]),
  entry("who are you", [], ["I am the agent of Vedette"]),
  entry("what's the weather in Berlin?", [], [cannot]),
  entry("write me a poem", [], [cannot]),
  entry("asdf qwer zxcv", [], [cannot]),
  entry("???", [], ["I see no question."]),
  entry("", [], ["I see no question."]),
  entry(
    "Hi! Could you please tell me what's failing? And which location is silent?",
    ["get_status {}", "list_locations"],
    ["2 failing", "2 locations of 4 silent"],
  ),
  entry(
    "what is failing and what is the availability of core-db last week?",
    ["get_status {}", "get_statistics core-db 2026-11-02"],
    ["2 failing", "availability 99.9 %"],
  ),
  entry(
    "edge-router is down. Why? Since when?",
    ["get_status edge-router", "get_result", "get_result"],
    ["(2 h)", "in a burst"],
  ),
];

export const followUps: readonly CorpusEntry[] = [
  entry(
    ["Is edg down?", "the second one"],
    ["get_status edge-switch"],
    ["`edge-switch` has been passing"],
  ),
  entry(
    ["Is edg down?", "edge-router"],
    ["get_status edge-router"],
    ["`edge-router` has been failing"],
  ),
  entry(["Is edg down?", "1"], ["get_status edge-router"], ["`edge-router` has been failing"]),
  entry(["Is edg down?", "the last"], ["get_status edge-switch"], ["`edge-switch`"]),
  entry(
    ["availability of edge last week", "the router"],
    ["get_statistics edge-router 2026-11-02"],
    ["97.5 %"],
  ),
  entry(["mute edg", "the first one"], ["mute_check edge-router true"], ["please confirm"]),
  entry(
    ["availability of edge-router last week", "and yesterday?"],
    ["get_statistics edge-router 2026-11-14T00:00"],
    ["`edge-router`, yesterday"],
  ),
  entry(
    ["availability of edge-router last week", "what about core-db?"],
    ["get_statistics core-db 2026-11-02"],
    ["`core-db`, last week"],
  ),
  entry(
    ["what is failing?", "why?"],
    ["get_status {}", "get_result", "get_result"],
    ["in a burst"],
  ),
  entry(
    ["is edge-router down", "why?"],
    ["get_status edge-router", "get_result", "get_result"],
    ["host unreachable"],
  ),
  entry(["is edge-router down", "since when"], ["get_status edge-router"], ["(2 h)"]),
  entry(
    ["is edge-router down", "what about Frankfurt?"],
    ["get_status edge-router"],
    ["from eu-central-1: failing"],
  ),
  entry(
    ["is edge-router down", "is it just us?"],
    ["get_status {}", "get_status edge-router", "get_result", "get_result"],
    ["It looks like"],
  ),
  entry(
    ["is edge-router down", "did anyone get told about it?"],
    ["list_deliveries edge-router"],
    ["2 messages about `edge-router`"],
  ),
  entry(
    ["latency of core-db", "and the availability?"],
    ["get_statistics core-db"],
    ["availability 99.9 %"],
  ),
  entry(["is edge-router down", "mute it"], ["mute_check edge-router"], ["please confirm"]),
  entry(
    ["summarise the latest incident", "draft an update for it"],
    ["list_incidents", "get_incident 000000000901", "get_status {}"],
    ["A draft for `DNS outage`"],
  ),
  entry(
    ["why is edge-router down", "and web-frontend?"],
    ["get_status web-frontend", "get_result web-frontend"],
    ["`web-frontend` has been degraded"],
  ),
  entry(["slowest checks by p95", "and by p99?"], ["get_statistics"], ["Slowest by P99"]),
  entry(
    ["slowest checks", "and yesterday?"],
    ["get_statistics 2026-11-14T00:00"],
    ["Slowest by P95 yesterday"],
  ),
  entry(["what is failing", "thanks"], [], ["You are welcome."]),
  entry(
    ["is edge-router down", "thanks", "and core-db?"],
    ["get_status core-db"],
    ["`core-db` has been passing"],
  ),
];

const generator = { agent: "check_config_generator" } as const;

export const configQuestions: readonly CorpusEntry[] = [
  entry(
    "ping these five hosts every minute and page me at 20 % loss: 192.0.2.1, 192.0.2.2, example.com, gw.example.net and 2001:db8::1",
    [
      'create_check "192.0.2.1" "frequency":1 "maxPacketLossThreshold":20',
      'create_check "192.0.2.2"',
      'create_check "example.com"',
      'create_check "gw.example.net"',
      'create_check "2001:db8::1" "IPv6"',
    ],
    ["5 checks to create:", "Not done yet, please confirm"],
    generator,
  ),
  entry(
    "Monitor router1 and router2 every 5 minutes from Frankfurt and London, tagged core and edge, alert if slower than 50 ms, degraded at 5% loss, fail at 30% loss, 20 pings, retry twice, call it Router",
    [
      'create_check "name":"Router router1" "frequency":5 "pingCount":20 "target":"50" "LESS_THAN" "degradedPacketLossThreshold":5 "maxPacketLossThreshold":30 "eu-central-1","eu-west-2" ["core","edge"] "maxRetries":2',
      'create_check "name":"Router router2"',
    ],
    ["2 checks to create:"],
    generator,
  ),
  entry(
    "watch example.org over IPv6 every 30s, alert after 3 failures, from private location office-1",
    [
      'create_check "frequency":0 "frequencyOffset":30 "IPv6" "failedRunThreshold":3 "privateLocations":["office-1"]',
    ],
    ["1 check to create:"],
    generator,
  ),
  entry(
    "ping localhost every hour, fail if latency exceeds 0.2 s, no retries, in parallel from tokyo and são paulo",
    [
      'create_check "frequency":60 "target":"200" "retryStrategy":null "runParallel":true "ap-northeast-1","sa-east-1"',
    ],
    [],
    generator,
  ),
  entry(
    "ping 192.0.2.9 every 45 seconds",
    ['create_check "frequencyOffset":30'],
    ["Every 45 s is not possible: the nearest is every 30 s."],
    generator,
  ),
  entry(
    "ping 192.0.2.9 every 3 minutes with 80 packets",
    ['create_check "frequency":2 "pingCount":50'],
    ["the nearest is every 2 min", "A run sends 1 to 50 packets; it was set to 50."],
    generator,
  ),
  entry(
    "ping 192.0.2.9",
    ['create_check "frequency":10'],
    ["No interval was named: every 10 minutes."],
    generator,
  ),
  entry(
    "ping https://example.com:8443/health and db.example.net:5432 every minute",
    [],
    [
      "not a URL. Write `example.com` instead.",
      "Enter the host name without a port. Write `db.example.net` instead.",
      "There is no host left to ping.",
    ],
    generator,
  ),
  entry("ping 300.1.1.1 every minute", [], ["An IPv4 address has four decimal numbers"], generator),
  entry(
    "ping these three hosts: 192.0.2.1 and 192.0.2.2",
    ["create_check", "create_check"],
    ["You mentioned 3 hosts; I found 2."],
    generator,
  ),
  entry("make me a sandwich", [], ["Which hosts?"], generator),
  entry(
    ["ping 192.0.2.1 every minute", "also add 192.0.2.2", "make it every 30 seconds"],
    [
      'create_check "192.0.2.1" "frequencyOffset":30',
      'create_check "192.0.2.2" "frequencyOffset":30',
    ],
    ["2 checks to create:"],
    generator,
  ),
  entry(
    'ping 192.0.2.9 every minute, name it "x``` } evil"',
    ["create_check x``` evil"],
    ["\\u0060"],
    { ...generator, hides: ["x```"] },
  ),
  entry(
    "create a check for 192.0.2.9 every minute",
    ['create_check "192.0.2.9" "frequency":1'],
    ["1 check to create:"],
  ),
  entry(
    "ping 192.0.2.9 every 30 seconds",
    ['create_check "frequencyOffset":30'],
    ["please confirm"],
  ),
];
