/** Calls as people write them with a client that was generated from the document. */
import createClient, { type Client } from "openapi-fetch";
import type { paths } from "../../web/api/schema.d.ts";

type Note = (name: string, answer: { response: Response }) => void;

async function callChecks(client: Client<paths>, note: Note) {
  const made = await client.POST("/v1/checks/icmp", {
    body: { name: "Router", request: { hostname: "127.0.0.1" } },
  });
  note("create a check", made);
  const id = made.data?.id ?? "";
  const tags: string[] = made.data?.tags ?? [];
  note("list checks", await client.GET("/v1/checks"));
  const byTag = { query: { tag: tags, limit: 5 } };
  note("list checks by tag", await client.GET("/v1/checks", { params: byTag }));
  note("read a check", await client.GET("/v1/checks/{id}", { params: { path: { id } } }));
  note(
    "update a check",
    await client.PUT("/v1/checks/icmp/{id}", {
      params: { path: { id } },
      body: { heartbeat: {}, script: "", frequency: 5 },
    }),
  );
  const any = await client.POST("/v1/checks", {
    body: { checkType: "TCP", name: "Cache", request: { hostname: "127.0.0.1", port: 6379 } },
  });
  note("create a check of any kind", any);
  if (any.data?.checkType === "TCP") any.data.request.port satisfies number;
  note(
    "update a check of any kind",
    await client.PUT("/v1/checks/{id}", {
      params: { path: { id } },
      body: { checkType: "ICMP", muted: true },
    }),
  );
  const group = await client.POST("/v1/check-groups", { body: { name: "Network" } });
  note("create a group", group);
  note("list groups", await client.GET("/v1/check-groups"));
  note(
    "read results",
    await client.GET("/v2/check-results/{checkId}", { params: { path: { checkId: id } } }),
  );
  note("list statuses", await client.GET("/v1/check-statuses"));
  note(
    "read analytics",
    await client.GET("/v1/analytics/icmp/{id}", {
      params: { path: { id }, query: { metrics: ["availability"] } },
    }),
  );
  note(
    "read many figures",
    await client.POST("/v1/analytics/checks", { body: { checkIds: [id] } }),
  );
  note(
    "run a check now",
    await client.POST("/v2/check-sessions/trigger", { body: { target: { checkId: [id] } } }),
  );
  note("delete a check", await client.DELETE("/v1/checks/{id}", { params: { path: { id } } }));
}

const channels = [
  { type: "EMAIL", config: { address: "ops@example.com" } },
  { type: "WEBHOOK", config: { name: "Mine", url: "https://example.com/hook" } },
  { type: "SLACK", config: { url: "https://example.com/slack" } },
  { type: "SMS", config: { name: "On call", number: "+31 6 12 34 56 78" } },
  { type: "MSTEAMS", config: { url: "https://example.com/teams" } },
  { type: "DISCORD", config: { url: "https://example.com/discord" } },
  { type: "TELEGRAM", config: { botToken: "123:abc", chatId: "-1001" } },
  { type: "PAGERDUTY", config: { serviceKey: "R0ABCD1234567890" } },
  { type: "OPSGENIE", config: { name: "Team", apiKey: "x1", region: "EU", priority: "P2" } },
  { type: "NTFY", config: { url: "https://example.com", topic: "alerts" } },
  { type: "GOTIFY", config: { url: "https://example.com", token: "x1" } },
] as const;

async function callChannels(client: Client<paths>, note: Note) {
  for (const body of channels) {
    note(`create ${body.type}`, await client.POST("/v1/alert-channels", { body }));
  }
  const listed = await client.GET("/v1/alert-channels", { params: { query: { page: 1 } } });
  note("list channels", listed);
  for (const channel of listed.data ?? []) {
    if (channel.type === "EMAIL") channel.config.address satisfies string;
  }
}

async function callPages(client: Client<paths>, note: Note) {
  const service = await client.POST("/v1/status-pages/services", { body: { name: "Shop" } });
  note("create a service", service);
  const services = [{ id: service.data?.id ?? "" }];
  note(
    "create a status page",
    await client.POST("/v1/status-pages", {
      body: { name: "Acme", url: "acme", cards: [{ name: "Shop", services }] },
    }),
  );
  note(
    "create an incident",
    await client.POST("/v1/status-pages/incidents", {
      body: {
        name: "Payments fail",
        severity: "MAJOR",
        services,
        incidentUpdates: [{ description: "Cards are declined." }],
      },
    }),
  );
  note("list incidents", await client.GET("/v1/status-pages/incidents"));
}

async function callAccount(client: Client<paths>, note: Note) {
  note("create a dashboard", await client.POST("/v1/dashboards", { body: { header: "Network" } }));
  note("list dashboards", await client.GET("/v1/dashboards"));
  note("create a key", await client.POST("/v1/api-keys", { body: { name: "CI" } }));
  note("list members", await client.GET("/v1/accounts/me/members"));
  note(
    "invite somebody",
    await client.POST("/v1/accounts/me/invites", {
      body: { email: "ada@example.com", role: "READ_ONLY" },
    }),
  );
  note(
    "plan a maintenance window",
    await client.POST("/v1/maintenance-windows", {
      body: {
        name: "Upgrade",
        startsAt: "2026-12-01T22:00:00Z",
        endsAt: "2026-12-02T00:00:00Z",
      },
    }),
  );
  note("read alert settings", await client.GET("/v1/alert-settings"));
  note("replace alert settings", await client.PUT("/v1/alert-settings", { body: {} }));
  note("list messages", await client.GET("/v1/alert-notifications"));
}

export async function makeEverydayCalls(baseUrl: string, key: string) {
  const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } });
  const statuses: [string, number][] = [];
  const note: Note = (name, { response }) => {
    statuses.push([name, response.status]);
  };
  await callChecks(client, note);
  await callChannels(client, note);
  await callPages(client, note);
  await callAccount(client, note);
  return statuses;
}
