import { type Row, read, type Scene } from "./authorisation-row.ts";

const path = "/v1/users/me/contact-methods";
const rules = "/v1/users/me/notification-rules";
const preferences = "/v1/users/me/on-call-preferences";
const body = { type: "NTFY", config: { url: "https://ntfy.example.com", topic: "ada" } };

/**
 * Contact method that the rows share until one of them deletes it, because the number of methods
 * per member is limited.
 */
let method: Promise<string> | undefined;

function findMethod({ test: app }: Scene): Promise<string> {
  method ??= app.call("POST", path, { body }).then((made) => `${path}/${made.body.id}`);
  return method;
}

async function takeMethod(scene: Scene): Promise<string> {
  const taken = await findMethod(scene);
  method = undefined;
  return taken;
}

/** A contact method belongs to a user, so a service key receives 404. */
const ofPerson = { serviceKeyStatus: 404 } as const;

export const contactRows: readonly Row[] = [
  { ...read(preferences), ...ofPerson },
  {
    route: `PUT ${preferences}`,
    least: "READ_WRITE",
    request: () => ({ path: preferences, body: {} }),
    status: 200,
    ...ofPerson,
  },
  { ...read(path), ...ofPerson },
  {
    route: `POST ${path}`,
    least: "READ_WRITE",
    request: async (scene) => {
      // Existing methods are deleted, because the number of methods per member is limited.
      const { body: methods } = await scene.test.call("GET", path);
      for (const { id, isBuiltIn } of methods) {
        if (!isBuiltIn) await scene.test.call("DELETE", `${path}/${id}`);
      }
      method = undefined;
      return { path, body };
    },
    status: 201,
    ...ofPerson,
  },
  {
    route: `GET ${path}/:id`,
    least: "READ_ONLY",
    request: async (scene) => ({ path: await findMethod(scene) }),
    status: 200,
    isScoped: true,
    ...ofPerson,
  },
  {
    route: `PUT ${path}/:id`,
    least: "READ_WRITE",
    request: async (scene) => ({ path: await findMethod(scene), body }),
    status: 200,
    isScoped: true,
    ...ofPerson,
  },
  {
    route: `DELETE ${path}/:id`,
    least: "READ_WRITE",
    request: async (scene) => ({ path: await takeMethod(scene) }),
    status: 204,
    isScoped: true,
    ...ofPerson,
  },
  {
    route: `POST ${path}/:id/test`,
    least: "READ_WRITE",
    request: () => ({ path: `${path}/push/test` }),
    status: 200,
    ...ofPerson,
  },
  {
    route: `POST ${path}/:id/verify`,
    least: "READ_WRITE",
    request: () => ({ path: `${path}/push/verify`, body: { code: "000000" } }),
    status: 200,
    isUnaudited: true,
    ...ofPerson,
  },
  { ...read(rules), ...ofPerson },
  {
    route: `PUT ${rules}`,
    least: "READ_WRITE",
    request: () => {
      const steps = [{ methodId: "email", afterMinutes: 0 }];
      return { path: rules, body: { high: steps, low: steps } };
    },
    status: 200,
    ...ofPerson,
  },
];
