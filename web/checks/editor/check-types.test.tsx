/** The form of a new check of every type. */
import assert from "node:assert/strict";
import { after, before } from "node:test";
import {
  openScreen,
  type Screen,
  type ServedApp,
  shareTestApp,
} from "../../../test/support/components/screen.tsx";
import { test } from "../../../test/support/long-run.ts";
import { kinds } from "../../kinds/index.ts";

let app: ServedApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

const target = (screen: Screen) => screen.getByLabel("What do you want to monitor?");
const name = (screen: Screen) => screen.getByRole("textbox", { name: "Name", exact: true });
const press = (screen: Screen, label: string) =>
  screen.getByRole("button", { name: label }).first().click();
const openMore = (screen: Screen) =>
  screen.getByRole("main").getByText("More", { exact: true }).click();
const read = async (id: string) => (await app.call("GET", `/v1/checks/${id}`)).body;

/** Waits for the page of a check and returns the id in its address. */
async function waitForCheck(screen: Screen): Promise<string> {
  await screen.waitForAddress(/^\/checks\/[0-9a-f-]{36}$/);
  return screen.address.split("/").at(-1) ?? "";
}

/** A target for each type; a heartbeat and a script have none. */
const targets = {
  API: "https://api.example.com/v1",
  BROWSER: null,
  DNS: "www.example.com",
  GRPC: "grpc.example.com:443",
  HEARTBEAT: null,
  ICMP: "router.example.com",
  MULTI_STEP: null,
  PLAYWRIGHT: null,
  SSL: "shop.example.com",
  TCP: "db.example.com:5432",
  TRACEROUTE: "www.example.com",
  URL: "https://shop.example.com/health",
};

const scriptTypes = new Set(["BROWSER", "MULTI_STEP"]);
const hasPort = new Set(["TCP", "GRPC"]);

type Made = Readonly<Record<string, Readonly<Record<string, unknown>>>> & {
  readonly script?: string;
};

/** Returns the minimal equivalent API request. */
function minimise(checkType: string, { request = {}, heartbeat = {}, script }: Made): object {
  const { url, hostname, port, query, recordType, method, sslConfig } = request;
  const { period, periodUnit } = heartbeat;
  const host = (sslConfig as { hostname?: string } | undefined)?.hostname;
  const common = { checkType, name: "Made by hand", activated: false };
  if (checkType === "HEARTBEAT") return { ...common, heartbeat: { period, periodUnit } };
  if (checkType === "PLAYWRIGHT") return common;
  if (scriptTypes.has(checkType)) return { ...common, script };
  return {
    ...common,
    // The application proposes one minute; the API defaults to ten.
    frequency: 1,
    request: {
      ...{ url, hostname, port: hasPort.has(checkType) ? port : undefined, query, recordType },
      ...(checkType === "API" && { method }),
      // The application proposes the health service; the API defaults to a method.
      ...(checkType === "GRPC" && { grpcConfig: { mode: "HEALTH" } }),
      ...(host !== undefined && { sslConfig: { hostname: host } }),
    },
  };
}

/** Ids, tokens and the modification time may differ; nothing else. */
function withoutIds(check: object): string {
  const text = JSON.stringify({ ...check, updated_at: null });
  return text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "an id");
}

test("every type has a target in these tests", () => {
  // Notifications of a source create checks of alert groups, not people.
  const typed = Object.keys(kinds).filter((type) => type !== "ALERT_GROUP");
  assert.deepEqual(typed.sort(), Object.keys(targets));
});

// The forms of the types share their parts; that of API has most of them.
for (const [type, typed] of Object.entries(targets)) {
  test(`${type}: a new check has the API's defaults with the proposed frequency, and saving it again changes nothing`, {
    isLong: type !== "API",
  }, async () => {
    const screen = await openScreen(app, `/checks/new?kind=${type}`);
    if (typed !== null) await target(screen).fill(typed);
    await name(screen).fill("Made by hand");
    if (type === "MULTI_STEP") await press(screen, "Single request");
    if (type === "BROWSER") await press(screen, "Single page");
    await openMore(screen);
    await screen.getByLabel("Active").uncheck();
    await press(screen, "Create");
    const id = await waitForCheck(screen);
    const made = await read(id);
    const alone = await app.call("POST", "/v1/checks", { body: minimise(type, made) });
    assert.equal(alone.status, 201, alone.text);
    assert.equal(withoutIds(made), withoutIds(alone.body));
    screen.goto(`/checks/${id}/edit`);
    await press(screen, "Save");
    await waitForCheck(screen);
    assert.equal(withoutIds(await read(id)), withoutIds(made));
  });
}
