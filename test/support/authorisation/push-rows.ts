import { createPushReceiver } from "../servers/push-receiver.ts";
import { type Row, read, type Scene } from "./authorisation-row.ts";

const path = "/v1/users/me/push-subscriptions";

function writeDevice() {
  const { p256dh, auth } = createPushReceiver();
  return { name: "Phone", endpoint: "https://push.example.com/x1", keys: { p256dh, auth } };
}

async function newDevice({ test: app }: Scene): Promise<string> {
  return (await app.call("POST", path, { body: writeDevice() })).body.id;
}

/** A push subscription belongs to a user, so a service key receives 404. */
const ofPerson = { serviceKeyStatus: 404 } as const;

export const pushRows: readonly Row[] = [
  read("/v1/push-key"),
  { ...read(path), ...ofPerson },
  {
    route: `POST ${path}`,
    least: "READ_WRITE",
    request: () => ({ path, body: writeDevice() }),
    status: 201,
    ...ofPerson,
  },
  {
    route: `DELETE ${path}/:id`,
    least: "READ_WRITE",
    request: async (scene) => ({ path: `${path}/${await newDevice(scene)}` }),
    status: 204,
    isScoped: true,
    ...ofPerson,
  },
];
