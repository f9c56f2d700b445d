import { type Row, read, type Scene } from "./authorisation-row.ts";

async function newCheck({ test: app }: Scene): Promise<string> {
  const body = { name: "Router", request: { hostname: "192.0.2.1" } };
  return (await app.call("POST", "/v1/checks/icmp", { body })).body.id;
}

async function newSnippet({ test: app }: Scene): Promise<number> {
  return (await app.call("POST", "/v1/snippets", { body: snippet })).body.id;
}

async function newGroup({ test: app }: Scene): Promise<number> {
  return (await app.call("POST", "/v1/check-groups", { body: { name: "Network" } })).body.id;
}

const snippet = { name: "Sign in", script: "let token" };

interface TriggerSubject {
  readonly path: string;
  readonly make: (scene: Scene) => Promise<string | number>;
}

/** Returns the rows of the trigger routes of a check or group. */
function listTriggerRows({ path, make }: TriggerSubject): Row[] {
  const [segment = ""] = path.split("/");
  const manage = `/v1/triggers/${segment}`;
  const newTrigger = async (scene: Scene) => {
    const id = await make(scene);
    return (await scene.test.call("POST", `${manage}/${id}`)).body;
  };
  const pathOf = async (scene: Scene) => {
    const { checkId, groupId } = await newTrigger(scene);
    return { path: `${manage}/${checkId ?? groupId}` };
  };
  const call = async (scene: Scene) => {
    const { url } = await newTrigger(scene);
    return { path: new URL(url).pathname };
  };
  return [
    {
      route: `GET /v1/triggers/${path}`,
      least: "READ_WRITE",
      request: pathOf,
      status: 200,
      isScoped: true,
    },
    {
      route: `POST /v1/triggers/${path}`,
      least: "READ_WRITE",
      request: async (scene) => ({ path: `${manage}/${await make(scene)}` }),
      status: 201,
      isScoped: true,
    },
    {
      route: `DELETE /v1/triggers/${path}`,
      least: "READ_WRITE",
      request: pathOf,
      status: 204,
      isScoped: true,
    },
    {
      route: `GET /${path}/trigger/:token`,
      least: null,
      request: call,
      status: 200,
      isAudited: true,
    },
    { route: `POST /${path}/trigger/:token`, least: null, request: call, status: 200 },
  ];
}

async function newMember(scene: Scene): Promise<number> {
  const groupId = await newGroup(scene);
  const body = { name: "Router", groupId, request: { hostname: "192.0.2.1" } };
  await scene.test.call("POST", "/v1/checks/icmp", { body });
  return groupId;
}

export const clientRows: readonly Row[] = [
  ...listTriggerRows({ path: "checks/:checkId", make: newCheck }),
  ...listTriggerRows({ path: "check-groups/:groupId", make: newMember }),
  {
    route: "POST /v2/check-groups",
    least: "READ_WRITE",
    request: () => ({ path: "/v2/check-groups", body: { name: "Network" } }),
    status: 201,
  },
  {
    route: "PUT /v2/check-groups/:id",
    least: "READ_WRITE",
    request: async (scene) => ({
      path: `/v2/check-groups/${await newGroup(scene)}`,
      body: { name: "Backbone" },
    }),
    status: 200,
    isScoped: true,
  },
  read("/v1/snippets"),
  {
    route: "POST /v1/snippets",
    least: "READ_WRITE",
    request: () => ({ path: "/v1/snippets", body: snippet }),
    status: 201,
  },
  {
    route: "GET /v1/snippets/:id",
    least: "READ_ONLY",
    request: async (scene) => ({ path: `/v1/snippets/${await newSnippet(scene)}` }),
    status: 200,
    isScoped: true,
  },
  {
    route: "PUT /v1/snippets/:id",
    least: "READ_WRITE",
    request: async (scene) => ({ path: `/v1/snippets/${await newSnippet(scene)}`, body: snippet }),
    status: 200,
    isScoped: true,
  },
  {
    route: "DELETE /v1/snippets/:id",
    least: "READ_WRITE",
    request: async (scene) => ({ path: `/v1/snippets/${await newSnippet(scene)}` }),
    status: 204,
    isScoped: true,
  },
  read("/next/accounts"),
  {
    route: "GET /next/accounts/:accountId",
    least: "READ_ONLY",
    request: ({ test: app }) => ({ path: `/next/accounts/${app.owner.accountId}` }),
    status: 200,
  },
  read("/next/users/me"),
  read("/v1/accounts/me/entitlements"),
  read("/v1/usage/terms"),
  read("/v1/usage/summary"),
  read("/v1/usage/series"),
  {
    route: "GET /v1/accounts/:accountId/entitlements",
    least: "READ_ONLY",
    request: ({ test: app }) => ({ path: `/v1/accounts/${app.owner.accountId}/entitlements` }),
    status: 200,
  },
  {
    route: "GET /v1/error-groups/checks/:checkId",
    least: "READ_ONLY",
    request: async (scene) => ({ path: `/v1/error-groups/checks/${await newCheck(scene)}` }),
    status: 200,
    isScoped: true,
  },
  ...["error-groups", "root-cause-analyses"].map(
    (name): Row => ({
      route: `GET /v1/${name}/:id`,
      least: "READ_ONLY",
      request: async () => ({ path: `/v1/${name}/any` }),
      status: 404,
    }),
  ),
  {
    route: "POST /v1/resources/code-export",
    least: "READ_ONLY",
    request: async () => ({ path: "/v1/resources/code-export", body: {} }),
    status: 404,
    isUnaudited: true,
  },
  {
    route: "POST /next/test-sessions/github-checks/preflight",
    least: "READ_ONLY",
    request: async () => ({ path: "/next/test-sessions/github-checks/preflight", body: {} }),
    status: 200,
    isUnaudited: true,
  },
];
