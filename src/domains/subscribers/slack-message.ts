import { renderMarkdownAsText } from "../../pages/markdown.ts";
import type {
  SubscriberLinks,
  SubscriberNotice,
} from "../../pages/status-page/subscriber-notice.ts";
import { clipText } from "../../platform/text/clip.ts";
import { escapeSlack } from "../alert-channels/index.ts";
import type { DeliveryPurpose } from "./delivery-store.ts";

/** Slack rejects a block whose text is longer than 3000 characters. */
const maxTextLength = 2_800;

/** `verbatim` keeps Slack from turning text into links and mentions. */
function toSection(text: string) {
  return { type: "section", text: { type: "mrkdwn", text, verbatim: true } } as const;
}

function toLinks(links: readonly (readonly [string, string])[]) {
  return toSection(links.map(([words, url]) => `<${url}|${escapeSlack(words)}>`).join("  ·  "));
}

/** Escaping lengthens a text, so it is clipped until the escaped text fits. */
function clipEscaped(text: string): string {
  let maxLength = maxTextLength;
  let shown = escapeSlack(clipText(text, maxLength));
  while (shown.length > maxTextLength) {
    maxLength = Math.floor(maxLength * 0.8);
    shown = escapeSlack(clipText(text, maxLength));
  }
  return shown;
}

function toMessage(text: string, blocks: readonly unknown[]) {
  return { text: escapeSlack(text), link_names: false, unfurl_links: false, blocks };
}

export function writeSlackNotice(notice: SubscriberNotice, links: SubscriberLinks) {
  const { pageName, title, status, services, body, url } = notice;
  const facts = [`*Status:* ${escapeSlack(status)}`];
  if (services.length > 0) facts.push(`*Affects:* ${clipEscaped(services.join(", "))}`);
  const heading = `[${pageName}] ${title} – ${status}`;
  return toMessage(heading, [
    toSection(`*${escapeSlack(title)}*`),
    toSection(facts.join("\n")),
    toSection(clipEscaped(renderMarkdownAsText(body)) || "-"),
    toLinks([
      [`Read more at ${pageName}`, url],
      ["Choose services", links.manageUrl],
      ["Unsubscribe", links.unsubscribeUrl],
    ]),
  ]);
}

/** Asks the channel to confirm, or informs it that it is already subscribed. */
export function writeSlackRequest(
  pageName: string,
  purpose: DeliveryPurpose,
  links: SubscriberLinks & { readonly confirmUrl: string },
) {
  if (purpose === "confirm") {
    const text = `Someone requested updates of ${pageName} in this channel.`;
    const choices = [
      ["Confirm within two days", links.confirmUrl],
      ["Remove the channel", links.unsubscribeUrl],
    ] as const;
    return toMessage(text, [toSection(escapeSlack(text)), toLinks(choices)]);
  }
  const text = `This channel is already subscribed to ${pageName}.`;
  const choices = [
    ["Choose services", links.manageUrl],
    ["Unsubscribe", links.unsubscribeUrl],
  ] as const;
  return toMessage(text, [toSection(escapeSlack(text)), toLinks(choices)]);
}
