import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../../test/support/properties.ts";
import { formatDuration } from "../../platform/text/time.ts";
import { formatDateTime, formatMonth, html } from "../html.ts";
import { renderDayBar, renderHomePage, renderUptime } from "./home.ts";
import type { DayView, IncidentView, PageView, ServiceView } from "./page-view.ts";
import { listNames } from "./page-view.ts";
import { createPageLook, type PageLook, renderStatusPageShell } from "./shell.ts";
import { defaultPalettes, hashTheme, renderTheme } from "./theme.ts";

const settings = {
  redirectTo: null,
  defaultTheme: "AUTO",
  themeColors: null,
  whiteLabel: false,
  brandColor: null,
  customCSS: "",
  headerLinks: [],
  footerText: null,
  footerLinks: [],
} as const;

function createLook(changes: Partial<PageLook> = {}): PageLook {
  return {
    ...createPageLook({ name: "Acme", settings }, { basePath: "/status/acme/" }),
    ...changes,
  };
}

const firstDayMs = Date.parse("2026-08-18T00:00:00Z");

function createDays(kinds: Readonly<Record<number, DayView["kind"]>>, count = 90): DayView[] {
  return Array.from({ length: count }, (_, index) => {
    const kind = kinds[index] ?? "ok";
    const date = new Date(firstDayMs + index * 86_400_000).toISOString().slice(0, 10);
    const failingMs = kind === "outage" ? 600_000 : 0;
    return { date, kind, failingMs, degradedMs: kind === "degraded" ? 300_000 : 0 };
  });
}

function createService(days: readonly DayView[], changes: Partial<ServiceView> = {}): ServiceView {
  const uptime = { uptimePercent: 99.9, uptime: "99.9 % uptime" };
  const calm = { state: "passing", isUnderMaintenance: false, seen: null } as const;
  const look = { description: null, showsHistory: true };
  return { id: "s", name: "Shop", ...calm, ...look, days, ...uptime, ...changes };
}

const view: PageView = {
  name: "Acme",
  description: null,
  isIndexed: true,
  indicator: "none",
  sentence: "All systems operational",
  cards: [
    { id: "c", name: "Website", description: null, services: [createService(createDays({}))] },
  ],
  ongoing: [],
  maintenance: [],
  pastDays: [],
  pastDayCount: 15,
  updatedAt: new Date("2026-11-15T00:00:00Z"),
};

describe("the day bar", () => {
  test("consecutive days without events are one element", () => {
    const bar = renderDayBar(createService(createDays({}))).text;
    assert.equal([...bar.matchAll(/<rect/g)].length, 1);
    assert.ok(bar.length < 315, String(bar.length));
  });

  test("every bad day has its own element with the event and its date", () => {
    const bar = renderDayBar(
      createService(createDays({ 0: "none", 40: "outage", 89: "degraded" })),
    ).text;
    assert.ok(
      bar.includes(
        '<rect x="200" width="3.4" height="28" rx="1.2" class="outage"><title>27 Sep 2026: 10 min outage</title>',
      ),
    );
    assert.ok(bar.includes("<title>15 Nov 2026: 5 min degraded</title>"));
    assert.ok(
      bar.includes(
        'aria-label="Last 90 days: 99.9 % uptime; 15 Nov 2026: 5 min degraded; 27 Sep 2026: 10 min outage"',
      ),
    );
  });

  test("the uptime has a list of bad days, and none for a service without any", () => {
    const uptime = renderUptime(createService(createDays({ 40: "outage", 89: "degraded" }))).text;
    assert.match(
      uptime,
      /<summary>99.9 % uptime<span class="unseen">, 2 days with trouble<\/span>/,
    );
    assert.ok(uptime.includes("<li>27 Sep 2026: 10 min outage</li>"));
    const calm = renderUptime(createService(createDays({}))).text;
    assert.equal(calm, '<span class="uptime">99.9 % uptime</span>');
  });

  test("unknown days are shown as unknown", () => {
    const nothing = createService(
      createDays(Object.fromEntries(Array(90).fill("none").entries())),
      {
        uptime: "no data",
        uptimePercent: null,
      },
    );
    const bar = renderDayBar(nothing).text;
    assert.ok(bar.includes('aria-label="Last 90 days: no data"'));
    assert.equal(bar.includes("d-ok"), false);
  });

  test("every day is drawn once, at its position and with its kind", () => {
    const kinds = fc.constantFrom<DayView["kind"]>("ok", "none", "degraded", "outage");
    fc.assert(
      fc.property(fc.array(kinds, { minLength: 1, maxLength: 90 }), (list) => {
        const bar = renderDayBar(createService(createDays({ ...list }, list.length))).text;
        const drawn: string[] = [];
        for (const [, x, width, rest = ""] of bar.matchAll(
          /<rect x="(\d+)" width="([\d.]+)"([^>]*)/g,
        )) {
          const kind = /class="(\w+)"/.exec(rest)?.[1] ?? /#d-(\w+)/.exec(rest)?.[1] ?? "";
          const days = Math.max(1, Math.floor(Number(width) / 5));
          for (let day = 0; day < days; day += 1) drawn[Number(x) / 5 + day] = kind;
        }
        assert.deepEqual(drawn, list);
      }),
    );
  });

  test("a hundred bad days are summarised for screen readers", () => {
    const all = createService(createDays(Object.fromEntries(Array(90).fill("outage").entries())));
    const label = /aria-label="([^"]*)"/.exec(renderDayBar(all).text)?.[1] ?? "";
    assert.ok(label.endsWith("and 80 more days"));
    assert.ok(label.length < 500);
  });
});

describe("the theme", () => {
  const evil = (color: string) => ({
    light: { ...defaultPalettes.light, linkFontColor: color },
    dark: defaultPalettes.dark,
  });

  test("colours of the owner replace the default ones", () => {
    assert.ok(renderTheme(evil("#abc")).startsWith(":root{--bodyBackgroundColor:"));
    assert.ok(renderTheme(evil("#abc")).includes("--linkFontColor:#abc"));
    assert.notEqual(hashTheme(evil("#abc")), hashTheme(null));
  });

  test("only plain colours are written to the file", () => {
    for (const color of [
      "red;}*{display:none",
      "url(//evil.example)",
      "#12",
      "#1234567",
      "#abc\n}",
      "",
    ]) {
      assert.equal(renderTheme(evil(color)).includes("linkFontColor:#abc"), false);
      assert.equal(/display|url|evil/.test(renderTheme(evil(color))), false, color);
    }
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (color) => {
        const rest = renderTheme(evil(color))
          .replaceAll(/--[A-Za-z]+:#[0-9a-fA-F]{3,6}/g, "V")
          .replaceAll(/V(;V)*/g, "V");
        const media = "@media (prefers-color-scheme:dark){[data-theme=auto]{V}}";
        assert.equal(rest, `:root{V}\n[data-theme=dark]{V}\n${media}\n`);
      }),
    );
  });
});

describe("the shell", () => {
  const render = (changes: Partial<PageLook>, more = {}) =>
    renderStatusPageShell(createLook(changes), { title: "Title", body: html`<h1>x</h1>`, ...more })
      .text;

  test("contains no inline script, style or handler", () => {
    const page = render({});
    assert.equal(/<style|style=|<script(?! src=)|\son\w+=|javascript:/i.test(page), false);
    const files = [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, file = ""]) => file);
    for (const file of files) assert.match(file, /^(?:\/status\/acme\/|#|\/docs$)/);
  });

  test("the logo links to the configured URL, or to the page", () => {
    assert.match(render({}), /<a class="brand" href="\/status\/acme\/"[^>]*>Acme<\/a>/);
    assert.match(
      render({ redirectTo: "https://acme.example/" }),
      /<a class="brand" href="https:\/\/acme\.example\/"/,
    );
    const pictured = render({ logoUrl: "/a", logoDarkUrl: "/b" });
    assert.match(pictured, /class="logo on-light" src="\/a" alt="Acme"/);
    assert.match(pictured, /class="logo on-dark" src="\/b" alt="Acme"/);
    assert.match(render({ logoDarkUrl: "/b" }), /class="logo" src="\/b"/);
  });

  test("links to Vedette unless the owner has disabled it", () => {
    assert.match(render({}), /<a href="[^"]*\/docs" rel="noopener">Powered by Vedette<\/a>/);
    assert.equal(render({ whiteLabel: true }).includes("Vedette"), false);
  });

  test("a locked page has no link to its content", () => {
    const closed = render({}, { isClosed: true, robots: "noindex" });
    assert.equal(/feed|history|subscribe|ics|summary/.test(closed), false);
    assert.ok(closed.includes('<meta name="robots" content="noindex">'));
    assert.equal(render({}).includes("noindex"), false);
  });

  test("a snapshot shows its time, links to files and offers nothing that needs a server", () => {
    const look = { basePath: "./", snapshotAt: new Date("2026-11-15T10:00:00Z") };
    const page = render(look);
    assert.ok(page.includes('data-as-of="2026-11-15T10:00:00.000Z"'));
    assert.ok(page.includes("As of <time"));
    assert.ok(page.includes('href="./history/index.html"'));
    assert.equal(page.includes("subscribe"), false);
  });

  test("the owner's theme applies without script", () => {
    for (const theme of ["LIGHT", "DARK", "AUTO"] as const) {
      assert.ok(render({ defaultTheme: theme }).includes(`data-theme="${theme.toLowerCase()}"`));
    }
  });
});

describe("the page", () => {
  const evil = `"><script>alert(1)</script>'&`;
  const indicators = [
    "empty",
    "none",
    "maintenance",
    "unknown",
    "minor",
    "major",
    "critical",
  ] as const;

  test("each state has a tone, an icon and a text", () => {
    const banners = indicators.map((indicator) => {
      const page = renderHomePage(
        createLook(),
        { ...view, indicator, sentence: indicator },
        "v",
      ).text;
      const banner = /<h1 class="banner (\w+)">.*?href="#i-(\w+)".*?<span>(\w+)<\/span>/.exec(page);
      return banner?.slice(1).join(" ");
    });
    assert.deepEqual(banners, [
      "none none empty",
      "ok ok none",
      "maintenance maintenance maintenance",
      "none none unknown",
      "degraded degraded minor",
      "partial outage major",
      "outage outage critical",
    ]);
  });

  const listCards = (services: readonly ServiceView[]) => {
    const cards = [services.slice(0, 4), services.slice(4, 8), services.slice(8)];
    const named = cards.map((group, index) => ({
      id: `${index}`,
      name: `${index}`,
      description: null,
      services: group,
    }));
    const page = renderHomePage(createLook(), { ...view, cards: named }, "v").text;
    return [...page.matchAll(/<details class="card services"( open)?>/g)].map(([, open]) => !open);
  };

  test("cards fold if there are many services, unless something is wrong", () => {
    const calm = Array.from({ length: 12 }, () => createService(createDays({})));
    assert.deepEqual(listCards(calm), [true, true, true]);
    assert.deepEqual(
      listCards(calm.slice(0, 8)).slice(0, 2),
      [false, false],
      "few need no folding",
    );
    const changes: readonly Partial<ServiceView>[] = [
      { state: "failing" },
      { state: "degraded" },
      { state: "unknown" },
      { isUnderMaintenance: true },
    ];
    for (const change of changes) {
      const services = calm.with(5, createService(createDays({}), change));
      assert.deepEqual(listCards(services), [true, false, true], JSON.stringify(change));
    }
  });

  test("a folded card shows the number and names of its services and the worst state", () => {
    const calm = Array.from({ length: 9 }, () => createService(createDays({})));
    const services = calm.with(3, createService(createDays({}), { state: "failing" }));
    const cards = [{ id: "c", name: "Website", description: null, services }];
    const page = renderHomePage(createLook(), { ...view, cards }, "v").text;
    const summary = /<summary>(.*?)<\/summary>/s.exec(page)?.[1]?.replaceAll(/<[^>]*>/g, " ") ?? "";
    assert.match(summary, /Website\s+9 services\s+Outage \(1 of 9\)\s+(?:Shop, ){8}Shop/);
  });

  test("services are listed by the cards of the page", () => {
    const named = (name: string, card?: string) => ({ id: name, name, ...(card && { card }) });
    assert.equal(listNames([named("Shop"), named("Search")]), "Shop, Search");
    const grouped = [named("Shop", "Website"), named("Orders", "API"), named("Search", "Website")];
    assert.equal(listNames(grouped), "Website: Shop, Search; API: Orders");
  });

  test("no name can escape its place", () => {
    const at = new Date("2026-11-14T00:00:00Z");
    const services = [{ id: "s", name: evil }];
    const incident: IncidentView = {
      id: evil,
      name: evil,
      severity: "MAJOR",
      status: "RESOLVED",
      services,
      updates: [{ id: "u", status: "RESOLVED", description: evil, at }],
      startedAt: at,
      resolvedAt: at,
    };
    const hostile: PageView = {
      ...view,
      name: evil,
      description: evil,
      cards: [
        {
          ...{ id: "c", name: evil, description: evil },
          services: [createService(createDays({}), { name: evil, description: evil })],
        },
      ],
      ongoing: [{ ...incident, resolvedAt: null }],
      maintenance: [
        {
          ...{ id: "m", name: evil, description: evil, services, isNow: true },
          ...{ startsAt: at, endsAt: at, changedAt: at, sequence: 0 },
        },
      ],
      pastDays: [{ date: "2026-11-14", incidents: [incident] }],
    };
    const look = createLook({ name: evil, redirectTo: `https://x.example/${evil}` });
    const page = renderHomePage(look, hostile, "v").text;
    assert.equal(/<script>|alert\(1\)<\/script/.test(page), false);
    assert.ok(page.includes("&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39;&amp;"));
  });

  test("a private page has noindex", () => {
    assert.ok(
      renderHomePage(createLook(), { ...view, isIndexed: false }, "v").text.includes("noindex"),
    );
  });
});

test("formats times, months and durations", () => {
  assert.equal(formatDateTime(new Date("2026-01-05T07:08:59.999Z")), "5 Jan 2026, 07:08 UTC");
  assert.equal(formatMonth("2026-11"), "November 2026");
  const lengths: readonly (readonly [number, string])[] = [
    [0, "1 min"],
    [59 * 60_000, "59 min"],
    [60 * 60_000, "1 h"],
    [75 * 60_000, "1 h 15 min"],
    [24 * 3_600_000, "1 d"],
    [25.5 * 3_600_000, "1 d 1 h"],
  ];
  for (const [lengthMs, words] of lengths) assert.equal(formatDuration(lengthMs, "min"), words);
});
