/** Forms without script, for people, and one-click unsubscribing for the programs they use. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Markup } from "../../pages/html.ts";
import { renderProblemPage } from "../../pages/status-page/problem.ts";
import {
  createPageLook,
  type PageContent,
  pageSecurityPolicy,
  renderStatusPageShell,
} from "../../pages/status-page/shell.ts";
import {
  renderAsked,
  renderConfirm,
  renderConfirmed,
  renderManage,
  renderRefusal,
  renderSubscribe,
  renderUnsubscribe,
  renderUnsubscribed,
  type SubscribeForm,
} from "../../pages/status-page/subscribe.ts";
import { refuseForeignPage } from "../../platform/http/own-page.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { mapPictureHashes, readVisitor } from "../sites/index.ts";
import {
  findBasePath,
  listServicesOf,
  referToPage,
  type StatusPage,
} from "../status-pages/index.ts";
import type { SubscribersContext } from "./context.ts";
import { parseForm, readSubscribeForm } from "./form.ts";
import { createLinkPath } from "./links.ts";
import { LinkParams, PageParams, PageQuery } from "./schema.ts";
import {
  askToSubscribe,
  changeByLink,
  confirmByLink,
  findLinkedSubscriber,
  getLinkedPage,
  getPublicPage,
  maySignUp,
  type SignUpVerdict,
  unsubscribeByLink,
} from "./sign-up.ts";
import { maskAddress, type Subscriber } from "./subscriber.ts";

const maxFormBytes = 16 * 1024;

/** A page of ours as one request sees it. */
interface Scene {
  readonly page: StatusPage;
  /** Where the page's own links begin. */
  readonly basePath: string;
  readonly reply: FastifyReply;
}

async function openScene(
  context: SubscribersContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Scene> {
  const { url, token } = request.params as { url: string; token?: string };
  if (request.method === "POST") refuseForeignPage(request, context.publicUrl());
  const page =
    token === undefined
      ? await getPublicPage(context, url)
      : await getLinkedPage(context, { url, token });
  const isOnOwnHost = findBasePath(request.originalUrl, url.toLowerCase()) === "/";
  return { page, basePath: isOnOwnHost ? "/" : `/status/${page.url}/`, reply };
}

async function send(
  context: SubscribersContext,
  { page, basePath, reply }: Scene,
  content: PageContent,
  status = 200,
): Promise<FastifyReply> {
  const images = await mapPictureHashes(context.db, referToPage(page.id));
  const look = createPageLook(page, { basePath, images });
  return sendMarkup(reply.code(status), renderStatusPageShell(look, content));
}

function sendMarkup(reply: FastifyReply, page: Markup): FastifyReply {
  return reply
    .header("content-security-policy", pageSecurityPolicy)
    .header("referrer-policy", "same-origin")
    .header("x-robots-tag", "noindex")
    .type("text/html; charset=utf-8")
    .send(page.text);
}

const emptyForm: SubscribeForm = { type: "EMAIL", address: "", serviceIds: [] };

function sendForm(
  context: SubscribersContext,
  scene: Scene,
  { form, fault }: { readonly form: SubscribeForm; readonly fault: string | null },
): Promise<FastifyReply> {
  const content = renderSubscribe({
    action: `${scene.basePath}subscribe`,
    services: listServicesOf(scene.page),
    form,
    fault,
    offersMail: context.sendTools.mailer !== null,
  });
  return send(context, scene, content, fault === null ? 200 : 400);
}

function sendVerdict(
  context: SubscribersContext,
  scene: Scene,
  form: SubscribeForm,
  verdict: SignUpVerdict,
): Promise<FastifyReply> {
  const refuse = (status: number, title: string, words: string) =>
    send(context, scene, renderRefusal(title, words, `${scene.basePath}subscribe`), status);
  switch (verdict.kind) {
    case "asked":
      return send(context, scene, renderAsked(form.type));
    case "invalid":
      return sendForm(context, scene, { form, fault: verdict.rule });
    case "too-many":
      scene.reply.header("retry-after", verdict.retryAfterSeconds);
      return refuse(429, "Too many requests", "Please try again later.");
    case "full":
      return refuse(503, "No more subscribers", "This page has as many subscribers as it can.");
    case "no-mail":
      return refuse(
        503,
        "Not by email",
        "Updates are not sent by email here. Please choose another way.",
      );
  }
}

/**
 * The same whatever is wrong with a link: it tells nobody what it was once good for. Anybody can
 * invent a link, so that of a private page does not tell whose page it is either.
 */
async function sendBadLink(context: SubscribersContext, scene: Scene): Promise<FastifyReply> {
  const { page, basePath, reply } = scene;
  const title = "This link is not good";
  const words = "It is too old, or it has done its work, or it was not copied as a whole.";
  if (page.isPrivate) return sendMarkup(reply.code(404), renderProblemPage(basePath, title, words));
  return send(context, scene, renderRefusal(title, words, `${basePath}subscribe`), 404);
}

function linkFor(
  context: SubscribersContext,
  { page, basePath }: Scene,
  subscriber: Pick<Subscriber, "id">,
) {
  const target = { statusPageId: page.id, subscriberId: subscriber.id };
  return {
    manageUrl: `${basePath}${createLinkPath(context, "manage", target)}`,
    unsubscribeUrl: `${basePath}${createLinkPath(context, "unsubscribe", target)}`,
  };
}

const show = ({ type, address }: Subscriber) => maskAddress(type, address);

interface LinkRequest {
  readonly params: { readonly token: string };
  readonly ip: string;
  readonly id: string;
}

const useOf = ({ params, ip: address, id: requestId }: LinkRequest) => ({
  token: params.token,
  origin: { address, requestId },
});

/** In a scope of their own, where a plain HTML form is understood. */
export function addSubscriberPageRoutes(scope: HttpServer, context: SubscribersContext): void {
  const bodyLimit = maxFormBytes;
  for (const type of ["application/x-www-form-urlencoded", "multipart/form-data"]) {
    scope.addContentTypeParser(type, { parseAs: "string", bodyLimit }, (_request, body, done) =>
      done(null, parseForm(type, body)),
    );
  }
  addSignUpRoutes(scope, context);
  addLinkRoutes(scope, context);
}

function addSignUpRoutes(scope: HttpServer, context: SubscribersContext): void {
  const options = {
    config: { access: "public" },
    schema: { hide: true, params: PageParams, querystring: PageQuery },
  } as const;
  const isLetIn = (scene: Scene, request: FastifyRequest) =>
    maySignUp(context, scene.page, readVisitor(request));
  scope.get("/status/:url/subscribe", options, async (request, reply) => {
    const scene = await openScene(context, request, reply);
    // The page itself asks for the key.
    if (!(await isLetIn(scene, request))) return reply.redirect(scene.basePath, 303);
    return sendForm(context, scene, { form: emptyForm, fault: null });
  });
  scope.post("/status/:url/subscribe", options, async (request, reply) => {
    const scene = await openScene(context, request, reply);
    if (!(await isLetIn(scene, request))) return reply.redirect(scene.basePath, 303);
    const form = readSubscribeForm(request.body);
    const wish = { ...form, client: request.ip };
    return sendVerdict(context, scene, form, await askToSubscribe(context, scene.page, wish));
  });
}

/**
 * Whoever holds a link was sent it; a private page needs no key here. Looking changes nothing,
 * because scanners of mail follow every link: only the button does.
 */
function addLinkRoutes(scope: HttpServer, context: SubscribersContext): void {
  const options = {
    config: { access: "public" },
    schema: { hide: true, params: LinkParams },
  } as const;
  const open = async (request: FastifyRequest, reply: FastifyReply) => {
    const scene = await openScene(context, request, reply);
    const { token } = request.params as { token: string };
    return { scene, token, action: (purpose: string) => `${scene.basePath}${purpose}/${token}` };
  };
  scope.get("/status/:url/confirm/:token", options, async (request, reply) => {
    const { scene, token, action } = await open(request, reply);
    const link = { token, purpose: "confirm" } as const;
    const found = await findLinkedSubscriber(context, scene.page, link);
    if (found === null) return sendBadLink(context, scene);
    return send(context, scene, renderConfirm(action("confirm"), show(found)));
  });
  scope.post("/status/:url/confirm/:token", options, async (request, reply) => {
    const { scene } = await open(request, reply);
    const found = await confirmByLink(context, scene.page, useOf(request));
    if (found === null) return sendBadLink(context, scene);
    return send(context, scene, renderConfirmed(linkFor(context, scene, found).manageUrl));
  });
  const sendManage = async (
    { scene, token, action }: Awaited<ReturnType<typeof open>>,
    said: { readonly isSaved: boolean; readonly fault: string | null },
  ) => {
    const link = { token, purpose: "manage" } as const;
    const found = await findLinkedSubscriber(context, scene.page, link);
    if (found === null) return sendBadLink(context, scene);
    const { unsubscribeUrl } = linkFor(context, scene, found);
    const { serviceIds } = found;
    const services = listServicesOf(scene.page);
    const view = { action: action("manage"), unsubscribeUrl, address: show(found), services };
    const content = renderManage({ ...view, serviceIds, ...said });
    return send(context, scene, content, said.fault === null ? 200 : 400);
  };
  scope.get("/status/:url/manage/:token", options, async (request, reply) =>
    sendManage(await open(request, reply), { isSaved: false, fault: null }),
  );
  scope.post("/status/:url/manage/:token", options, async (request, reply) => {
    const opened = await open(request, reply);
    const { serviceIds } = readSubscribeForm(request.body);
    const use = { ...useOf(request), serviceIds };
    const isSaved = await changeByLink(context, opened.scene.page, use);
    if (isSaved === null) return sendBadLink(context, opened.scene);
    const fault = isSaved ? null : "One of the services is not on this page any more.";
    return sendManage(opened, { isSaved, fault });
  });
  scope.get("/status/:url/unsubscribe/:token", options, async (request, reply) => {
    const { scene, token, action } = await open(request, reply);
    const link = { token, purpose: "unsubscribe" } as const;
    const found = await findLinkedSubscriber(context, scene.page, link);
    if (found === null) return sendBadLink(context, scene);
    return send(context, scene, renderUnsubscribe(action("unsubscribe"), show(found)));
  });
  scope.post("/status/:url/unsubscribe/:token", options, async (request, reply) => {
    const { scene } = await open(request, reply);
    const isDone = await unsubscribeByLink(context, scene.page, useOf(request));
    if (!isDone) return sendBadLink(context, scene);
    return send(context, scene, renderUnsubscribed(`${scene.basePath}subscribe`));
  });
}
