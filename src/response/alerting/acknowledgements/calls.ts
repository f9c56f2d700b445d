import { Type } from "typebox";
import {
  type ChannelType,
  channelKinds,
  describeChannel,
  findChannel,
  unsealChannel,
} from "../../../channels/alert-channels/index.ts";
import { forbidden, KnownError, notFound } from "../../../platform/errors.ts";
import { Described, RowId } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { acknowledgeByLink, findLinkAccount, readToken } from "./actions.ts";
import type { ResponsesContext } from "./responses.ts";

/** A key that a person pressed during an alert call, as the phone provider reports it. */
interface PressedKey {
  /** Token of the acknowledge link in the alert message. */
  readonly token: string;
  readonly channelId: number;
  /** Path of the request. The provider signs the public URL followed by this path. */
  readonly path: string;
  readonly signature: string;
  readonly fields: ReadonlyMap<string, string>;
}

/**
 * Acknowledges the alert if the person pressed 1. Returns the XML that makes the provider read a
 * reply aloud. A repeated request has no further effect.
 */
async function handlePressedKey(
  context: ResponsesContext,
  { token, channelId, path, signature, fields }: PressedKey,
  origin: { readonly address: string; readonly requestId: string },
): Promise<string> {
  const accountId = await findLinkAccount(context, readToken(context, token));
  const sealed = accountId && (await findChannel(context.db, accountId, channelId));
  if (!sealed) throw notFound();
  const channel = unsealChannel(context, sealed);
  const { calls } = channelKinds[channel.type as ChannelType];
  if (calls === undefined || channel.problem) throw notFound();
  const url = `${context.publicUrl().replace(/\/+$/, "")}${path}`;
  const digits = calls.readDigits({ url, fields, signature }, channel.config);
  if (digits === null) throw forbidden();
  if (digits !== "1") return calls.writeReply("Not acknowledged. Goodbye.");
  try {
    const label = `a call to ${describeChannel(channel)}`;
    await acknowledgeByLink(context, token, { ...origin, label });
  } catch (error) {
    if (!(error instanceof KnownError) || error.errorName !== "conflict") throw error;
    return calls.writeReply("This alert has already ended. Goodbye.");
  }
  return calls.writeReply("Acknowledged. Goodbye.");
}

const maxBytes = 16_384;

/** Registers the route to which the phone provider reports pressed keys as signed forms. */
export function addCallRoutes(scope: HttpServer, context: ResponsesContext): void {
  scope.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string", bodyLimit: maxBytes },
    (_request, body, done) => done(null, String(body)),
  );
  scope.post(
    "/acknowledge/:token/call/:channelId",
    {
      config: { access: "public" },
      schema: {
        hide: true,
        params: Type.Object({
          token: Type.String({ minLength: 20, maxLength: 500 }),
          channelId: Described(RowId, "The channel's id."),
        }),
      },
    },
    async (request, reply) => {
      const { params, body, ip: address, id: requestId, url: path } = request;
      const fields = new Map(new URLSearchParams(typeof body === "string" ? body : ""));
      const signature = String(request.headers["x-twilio-signature"] ?? "");
      const pressed = { ...params, path, signature, fields };
      const text = await handlePressedKey(context, pressed, { address, requestId });
      return reply.type("text/xml; charset=utf-8").send(text);
    },
  );
}
