import { Type } from "typebox";
import { Described, Guid, OrNull } from "../../../platform/http/schema.ts";
import { notSent } from "../../../platform/http-delivery.ts";
import { type ChannelKind, Label } from "../channel-kind.ts";

const ConfigSchema = Type.Object({
  name: Described(Label, "Display name of the channel.", "Primary"),
  scheduleId: Described(
    Type.Optional(OrNull(Guid)),
    "The on-call schedule whose person is paged; `null` to page one member.",
  ),
  userId: Described(
    Type.Optional(OrNull(Guid)),
    "The member who is paged; `null` to page the person of a schedule.",
  ),
});
type Config = Type.Static<typeof ConfigSchema>;

/**
 * Channel kind that pages a member or the person on call. The `alerting` domain sends alerts
 * directly to the contact methods of that person, so `send` is used only for test messages.
 */
export const onCallKind: ChannelKind<Config> = {
  type: "ONCALL",
  ConfigSchema,
  secretFields: [],
  // Disable digests: each alert is a page, and the messages to the member are combined instead.
  acceptsDigests: () => false,
  describeRecipient: ({ name }) => name,
  findFault: ({ scheduleId, userId }) =>
    Boolean(scheduleId) === Boolean(userId)
      ? { key: "scheduleId", rule: "or userId is required, and only one of them" }
      : null,
  send: (message, { scheduleId, userId }, tools) => {
    const target = { scheduleId: scheduleId ?? null, userId: userId ?? null };
    return (
      tools.onCall?.send(message, target, tools) ??
      Promise.resolve(notSent("On-call schedules are not available here.", { isPermanent: true }))
    );
  },
};
