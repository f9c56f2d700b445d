import { makeCertificate } from "../certificates/make-certificate.ts";
import { type Row, read, type Scene } from "./authorisation-row.ts";

const path = "/v1/client-certificates";
const { cert, key } = makeCertificate();
const body = { host: "api.example.com", cert, key };

async function newCertificate({ test: app }: Scene): Promise<string> {
  return (await app.call("POST", path, { body })).body.id;
}

export const certificateRows: readonly Row[] = [
  read(path),
  {
    route: `POST ${path}`,
    least: "READ_WRITE",
    request: () => ({ path, body }),
    status: 201,
  },
  {
    route: `GET ${path}/:id`,
    least: "READ_ONLY",
    request: async (scene) => ({ path: `${path}/${await newCertificate(scene)}` }),
    status: 200,
    isScoped: true,
  },
  {
    route: `DELETE ${path}/:id`,
    least: "READ_WRITE",
    request: async (scene) => ({ path: `${path}/${await newCertificate(scene)}` }),
    status: 204,
    isScoped: true,
  },
];
