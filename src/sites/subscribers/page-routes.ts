/** Forms for subscribers without JavaScript, and one-click unsubscribing for mail programs. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Markup } from "../../pages/html.ts";
import {
  createPageLook,
  type PageContent,
  pageSecurityPolicy,
  renderProblemPage,
  renderStatusPageShell,
} from "../../pages/status-page/shell.ts";
import {
  renderConfirm,
  renderConfirmationSent,
  renderConfirmed,
  renderManage,
  renderSubscribe,
  renderSubscribeError,
  renderUnsubscribe,
  renderUnsubscribed,
  type SubscribeForm,
} from "../../pages/status-page/subscribe.ts";
import { KnownError } from "../../platform/errors.ts";
import { rejectForeignPage } from "../../platform/http/request-origin.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { mapPictureHashes, readVisitor } from "../publishing/index.ts";
import { findBasePath, nameServices, referToPage, type StatusPage } from "../status-pages/index.ts";
import type { SubscribersContext } from "./context.ts";
import { createLinkPath } from "./links.ts";
import { LinkParams, PageParams, PageQuery } from "./schema.ts";
import {
  changeByLink,
  confirmByLink,
  findLinkedSubscriber,
  getLinkedPage,
  getPublicPage,
  maySignUp,
  requestSubscription,
  type SignUpVerdict,
  unsubscribeByLink,
} from "./sign-up.ts";
import {
  maskAddress,
  type Subscriber,
  type SubscriberType,
  subscriberTypes,
} from "./subscriber.ts";

const maxFormBytes = 16 * 1024;

interface PageVisit {
  readonly page: StatusPage;
  /** Prefix of the links on the page. */
  readonly basePath: string;
  readonly reply: FastifyReply;
}

async function openVisit(
  context: SubscribersContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<PageVisit> {
  const { url, token } = request.params as { url: string; token?: string };
  if (request.method === "POST") rejectForeignPage(request, context.publicUrl());
  const page =
    token === undefined
      ? await getPublicPage(context, url)
      : await getLinkedPage(context, { url, token });
  const isOnOwnHost = findBasePath(request.originalUrl, url.toLowerCase()) === "/";
  return { page, basePath: isOnOwnHost ? "/" : `/status/${page.url}/`, reply };
}

async function send(
  context: SubscribersContext,
  { page, basePath, reply }: PageVisit,
  content: PageContent,
  status = 200,
): Promise<FastifyReply> {
  const images = await mapPictureHashes(context.db, referToPage(page.id));
  const look = createPageLook(page, { basePath, images, publicUrl: context.publicUrl() });
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

function sendForm(
  context: SubscribersContext,
  visit: PageVisit,
  { form, fault }: { readonly form: SubscribeForm; readonly fault: string | null },
): Promise<FastifyReply> {
  const content = renderSubscribe({
    action: `${visit.basePath}subscribe`,
    services: nameServices(visit.page),
    form,
    fault,
    offersMail: context.sendTools.mailer !== null,
  });
  return send(context, visit, content, fault === null ? 200 : 400);
}

function sendVerdict(
  context: SubscribersContext,
  visit: PageVisit,
  form: SubscribeForm,
  verdict: SignUpVerdict,
): Promise<FastifyReply> {
  const refuse = (status: number, title: string, words: string) =>
    send(context, visit, renderSubscribeError(title, words, `${visit.basePath}subscribe`), status);
  switch (verdict.kind) {
    case "requested":
      return send(context, visit, renderConfirmationSent(form.type));
    case "invalid":
      return sendForm(context, visit, { form, fault: verdict.rule });
    case "too-many":
      visit.reply.header("retry-after", verdict.retryAfterSeconds);
      return refuse(429, "Too many requests", "Please try again later.");
    case "full":
      return refuse(
        503,
        "Subscriber limit reached",
        "This page has reached its limit of subscribers.",
      );
    case "no-mail":
      return refuse(
        503,
        "Email is not available",
        "Updates by email are not available. Please choose another option.",
      );
  }
}

/**
 * Sends the same response for every invalid link, so that the response reveals nothing. An invalid
 * link may be forged, so the content of a private page is not shown.
 */
async function sendBadLink(context: SubscribersContext, visit: PageVisit): Promise<FastifyReply> {
  const { page, basePath, reply } = visit;
  const title = "This link does not work";
  const words = "It has expired, has already been used, or was not copied completely.";
  if (page.isPrivate) return sendMarkup(reply.code(404), renderProblemPage(basePath, title, words));
  return send(context, visit, renderSubscribeError(title, words, `${basePath}subscribe`), 404);
}

function linkFor(
  context: SubscribersContext,
  { page, basePath }: PageVisit,
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

/** Adds the subscription pages, in a separate scope that parses HTML forms. */
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
  const isLetIn = (visit: PageVisit, request: FastifyRequest) =>
    maySignUp(context, visit.page, readVisitor(request));
  scope.get("/status/:url/subscribe", options, async (request, reply) => {
    const visit = await openVisit(context, request, reply);
    // The visitor is redirected to the page, which asks for its key.
    if (!(await isLetIn(visit, request))) return reply.redirect(visit.basePath, 303);
    const { type = "EMAIL" } = request.query;
    return sendForm(context, visit, { form: { type, address: "", serviceIds: [] }, fault: null });
  });
  scope.post("/status/:url/subscribe", options, async (request, reply) => {
    const visit = await openVisit(context, request, reply);
    if (!(await isLetIn(visit, request))) return reply.redirect(visit.basePath, 303);
    const form = readSubscribeForm(request.body);
    const signUp = { ...form, client: request.ip };
    return sendVerdict(
      context,
      visit,
      form,
      await requestSubscription(context, visit.page, signUp),
    );
  });
}

/**
 * Adds the routes of links in messages. A link proves access, so a private page needs no key here.
 * GET requests change nothing, because mail scanners follow every link; only submitting the form
 * does.
 */
function addLinkRoutes(scope: HttpServer, context: SubscribersContext): void {
  const options = {
    config: { access: "public" },
    schema: { hide: true, params: LinkParams },
  } as const;
  const open = async (request: FastifyRequest, reply: FastifyReply) => {
    const visit = await openVisit(context, request, reply);
    const { token } = request.params as { token: string };
    return { visit, token, action: (purpose: string) => `${visit.basePath}${purpose}/${token}` };
  };
  scope.get("/status/:url/confirm/:token", options, async (request, reply) => {
    const { visit, token, action } = await open(request, reply);
    const link = { token, purpose: "confirm" } as const;
    const found = await findLinkedSubscriber(context, visit.page, link);
    if (found === null) return sendBadLink(context, visit);
    return send(context, visit, renderConfirm(action("confirm"), show(found)));
  });
  scope.post("/status/:url/confirm/:token", options, async (request, reply) => {
    const { visit } = await open(request, reply);
    const found = await confirmByLink(context, visit.page, useOf(request));
    if (found === null) return sendBadLink(context, visit);
    return send(context, visit, renderConfirmed(linkFor(context, visit, found).manageUrl));
  });
  const sendManage = async (
    { visit, token, action }: Awaited<ReturnType<typeof open>>,
    state: { readonly isSaved: boolean; readonly fault: string | null },
  ) => {
    const link = { token, purpose: "manage" } as const;
    const found = await findLinkedSubscriber(context, visit.page, link);
    if (found === null) return sendBadLink(context, visit);
    const { unsubscribeUrl } = linkFor(context, visit, found);
    const { serviceIds } = found;
    const services = nameServices(visit.page);
    const view = { action: action("manage"), unsubscribeUrl, address: show(found), services };
    const content = renderManage({ ...view, serviceIds, ...state });
    return send(context, visit, content, state.fault === null ? 200 : 400);
  };
  scope.get("/status/:url/manage/:token", options, async (request, reply) =>
    sendManage(await open(request, reply), { isSaved: false, fault: null }),
  );
  scope.post("/status/:url/manage/:token", options, async (request, reply) => {
    const opened = await open(request, reply);
    const { serviceIds } = readSubscribeForm(request.body);
    const use = { ...useOf(request), serviceIds };
    const isSaved = await changeByLink(context, opened.visit.page, use);
    if (isSaved === null) return sendBadLink(context, opened.visit);
    const fault = isSaved ? null : "One of the services is no longer on this page.";
    return sendManage(opened, { isSaved, fault });
  });
  scope.get("/status/:url/unsubscribe/:token", options, async (request, reply) => {
    const { visit, token, action } = await open(request, reply);
    const link = { token, purpose: "unsubscribe" } as const;
    const found = await findLinkedSubscriber(context, visit.page, link);
    if (found === null) return sendBadLink(context, visit);
    return send(context, visit, renderUnsubscribe(action("unsubscribe"), show(found)));
  });
  scope.post("/status/:url/unsubscribe/:token", options, async (request, reply) => {
    const { visit } = await open(request, reply);
    const isDone = await unsubscribeByLink(context, visit.page, useOf(request));
    if (!isDone) return sendBadLink(context, visit);
    return send(context, visit, renderUnsubscribed(`${visit.basePath}subscribe`));
  });
}

const maxServices = 200;

/**
 * Parses a form. Returns an empty form for `multipart/form-data`, because only one-click
 * unsubscribe requests of mail programs use this type, and their content is fixed.
 */
function parseForm(contentType: string, body: Buffer | string): URLSearchParams {
  return new URLSearchParams(contentType === "multipart/form-data" ? "" : body.toString());
}

export function readSubscribeForm(body: unknown): SubscribeForm {
  if (body !== undefined && body !== null && !(body instanceof URLSearchParams)) {
    throw new KnownError("unsupportedMediaType");
  }
  const fields = body ?? new URLSearchParams();
  const type = fields.get("type") ?? "EMAIL";
  return {
    type: isSubscriberType(type) ? type : "EMAIL",
    address: (fields.get("address") ?? "").slice(0, 4_096).toWellFormed(),
    serviceIds: [...new Set(fields.getAll("service"))].slice(0, maxServices),
  };
}

function isSubscriberType(text: string): text is SubscriberType {
  return (subscriberTypes as readonly string[]).includes(text);
}
