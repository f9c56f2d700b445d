/** Two people who can be reached, and an alert that pages them, for the pictures of the docs. */
import { startHttpReceiver } from "../../test/support/servers/http-receiver.ts";
import { waitUntil } from "../../test/support/time/wait-until.ts";

export interface OnCallScene {
  readonly policyId: string;
  readonly alertId: string;
  readonly stop: () => void;
}

interface Answer {
  readonly id: string;
  readonly userId: string;
  readonly token: string;
}

const password = "password of a picture";
const rotation = { unit: "WEEK", handoffTime: "09:00" };

function createAsk(url: string) {
  return async <Body = Answer>(
    [method, path]: readonly [string, string],
    { cookie = "", body }: { readonly cookie?: string; readonly body?: object } = {},
  ): Promise<Body> => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { origin: url, cookie, "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (text === "" ? {} : JSON.parse(text)) as Body;
  };
}

async function findCookie(url: string, email: string): Promise<string> {
  const answer = await fetch(`${url}/v1/sessions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
  return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
}

/** Creates schedules and a policy, and waits until a failing check has paged somebody. */
export async function startOnCallScene(url: string, cookie: string): Promise<OnCallScene> {
  const ask = createAsk(url);
  const ends: (() => void)[] = [];
  const ntfy = await startHttpReceiver({ after: (end) => ends.push(end as () => void) });
  const create = async (path: string, body: object) => {
    const made = await ask(["POST", path], { cookie, body });
    return made.id;
  };
  const { id: accountId } = await ask(["GET", "/v1/accounts/me"], { cookie });
  const addMethod = async (own: string, topic: string): Promise<void> => {
    const methods = "/v1/users/me/contact-methods";
    const body = { type: "NTFY", config: { url: ntfy.url, topic } };
    const { id } = await ask(["POST", methods], { cookie: own, body });
    await ask(["POST", `${methods}/${id}/test`], { cookie: own, body: {} });
    const code = /\b\d{6}\b/.exec(ntfy.requests.at(-1)?.body ?? "")?.[0];
    await ask(["POST", `${methods}/${id}/verify`], { cookie: own, body: { code } });
  };
  const addPerson = async (name: string): Promise<string> => {
    const email = `${name.toLowerCase()}@example.com`;
    const invite = { cookie, body: { email, role: "READ_WRITE" } };
    const { token } = await ask(["POST", `/v1/accounts/${accountId}/invites`], invite);
    const joined = await ask(["POST", "/v1/invites/accept"], { body: { token, password, name } });
    await addMethod(await findCookie(url, email), name.toLowerCase());
    return joined.userId;
  };
  await addMethod(cookie, "owner");
  const anna = await addPerson("Anna");
  const ben = await addPerson("Ben");
  const addSchedule = (name: string, participants: readonly string[]) => {
    const layer = { name: "Weekly", participants, rotation, start: "2026-01-05T09:00" };
    return create("/v1/on-call/schedules", { name, timezone: "Europe/Berlin", layers: [layer] });
  };
  const first = await addSchedule("Shop", [anna, ben]);
  const second = await addSchedule("Shop, second line", [ben, anna]);
  const channel = {
    type: "WEBHOOK",
    config: { name: "#ops", url: ntfy.url },
    autoSubscribe: false,
  };
  const fallbackAlertChannelId = await create("/v1/alert-channels", channel);
  const settings = await ask<object>(["GET", "/v1/alert-settings"], { cookie });
  const body = { ...settings, fallbackAlertChannelId };
  await ask(["PUT", "/v1/alert-settings"], { cookie, body });
  const policyId = await create("/v1/escalation-policies", {
    name: "Shop",
    steps: [
      { afterMinutes: 0, targets: [{ scheduleId: first }] },
      { afterMinutes: 10, targets: [{ scheduleId: second }] },
    ],
  });
  const checkId = await create("/v1/checks/tcp", {
    ...{ name: "Checkout", frequency: 0, frequencyOffset: 10, retryStrategy: null },
    alertSettings: { escalationPolicyId: policyId },
    request: { hostname: "127.0.0.1", port: 1 },
  });
  const path = `/v1/check-alerts?limit=1&checkId=${checkId}`;
  let alertId = "";
  await waitUntil("somebody was paged", async () => {
    const [alert] = await ask<{ id: string; messages: { sent: number } }[]>(["GET", path], {
      cookie,
    });
    alertId = alert?.id ?? "";
    return (alert?.messages.sent ?? 0) >= 2;
  });
  const stop = () => {
    for (const end of ends) end();
  };
  return { policyId, alertId, stop };
}
