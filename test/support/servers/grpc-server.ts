import { readFileSync } from "node:fs";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import {
  Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServiceDefinition,
  type ServiceError,
  type sendUnaryData,
} from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { ReflectionService } from "@grpc/reflection";

const protoPath = fileURLToPath(new URL("./shop.proto", import.meta.url));
const healthPath = fileURLToPath(new URL("./health.proto", import.meta.url));

/** Protocol definition of the test service. */
export const shopProto = readFileSync(protoPath, "utf8");

type Reply = Readonly<Record<string, unknown>>;
type Respond = (
  request: { readonly id: string },
  metadata: Metadata,
) => Reply | Partial<ServiceError>;

export interface GrpcServerOptions {
  /** Health status of each service. The empty name stands for the whole server. */
  readonly health?: Readonly<Record<string, string>>;
  readonly get?: Respond;
  /** Certificate and private key in PEM format. */
  readonly tls?: { readonly certificate: string; readonly key: string };
  readonly hasReflection?: boolean;
}

/** Starts a gRPC server with the reference implementation on 127.0.0.1, and returns its port. */
export async function startGrpcServer(t: TestContext, options: GrpcServerOptions): Promise<number> {
  const server = new Server();
  const definition = loadSync([protoPath, healthPath], { longs: String, defaults: true });
  addHealth(server, definition["grpc.health.v1.Health"] as ServiceDefinition, options.health ?? {});
  const respond = options.get ?? (({ id }) => ({ id }));
  server.addService(definition["shop.v1.Cart"] as ServiceDefinition, {
    Get: (call: ServerUnaryCall<{ id: string }, Reply>, done: sendUnaryData<Reply>) => {
      const reply = respond(call.request, call.metadata);
      const trailer = new Metadata();
      trailer.set("x-took", "1");
      if ("code" in reply) done(reply as ServiceError);
      else done(null, reply as Reply, trailer);
    },
    Watch: () => {},
  });
  if (options.hasReflection !== false) new ReflectionService(definition).addToServer(server);
  const port = await promisify(server.bindAsync.bind(server))(
    "127.0.0.1:0",
    credentialsOf(options),
  );
  t.after(() => server.forceShutdown());
  return port ?? 0;
}

function credentialsOf({ tls }: GrpcServerOptions): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const { certificate, key } = tls;
  const pair = { cert_chain: Buffer.from(certificate), private_key: Buffer.from(key) };
  return ServerCredentials.createSsl(null, [pair]);
}

function addHealth(
  server: Server,
  definition: ServiceDefinition,
  statuses: Readonly<Record<string, string>>,
): void {
  server.addService(definition, {
    Check: (call: ServerUnaryCall<{ service: string }, Reply>, done: sendUnaryData<Reply>) => {
      const status = statuses[call.request.service];
      if (status === undefined) done({ code: 5, details: "unknown service — none" });
      else done(null, { status });
    },
  });
}
