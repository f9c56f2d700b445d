import { useRouter } from "@tanstack/react-router";
import type { MouseEvent, ReactNode } from "react";
import { Row, Stack } from "../parts/layout.tsx";
import textStyles from "../parts/text.module.css";
import styles from "./agent.module.css";
import { type Inline, parseAnswer } from "./answer-text.ts";
import type { Source } from "./conversation.ts";
import { findTarget } from "./screen.ts";
import { words } from "./words.ts";

interface PlaceLinkProps {
  readonly url: string;
  readonly origins: readonly string[];
  readonly className?: string | undefined;
  readonly label?: string | undefined;
  readonly onLeave: () => void;
  readonly children: ReactNode;
}

interface ScreenLinkProps extends Omit<PlaceLinkProps, "url" | "origins"> {
  readonly href: string;
}

/**
 * Link to a screen of the application. The link opens the screen without reloading the application.
 */
export function ScreenLink({ href, className, label, onLeave, children }: ScreenLinkProps) {
  const router = useRouter();
  const follow = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    onLeave();
    router.history.push(href);
  };
  return (
    <a href={href} className={className} aria-label={label} onClick={follow}>
      {children}
    </a>
  );
}

/**
 * Link in an answer. A link to a screen opens in the application; other links open in a new window.
 */
function PlaceLink({ url, origins, ...rest }: PlaceLinkProps) {
  const { href, isOwn } = findTarget(url, origins);
  if (isOwn) return <ScreenLink href={href} {...rest} />;
  const { className, label, children } = rest;
  return (
    <a
      href={href}
      className={className}
      aria-label={label}
      target="_blank"
      rel="noopener noreferrer"
    >
      {children}
    </a>
  );
}

interface AnswerProps {
  readonly text: string;
  readonly sources: readonly Source[];
  readonly onLeave: () => void;
}

function listOrigins(sources: readonly Source[]): string[] {
  const origins = sources.flatMap(({ url }) => URL.parse(url)?.origin ?? []);
  return [...new Set([location.origin, ...origins])];
}

/** Renders an answer, using only text nodes and links. */
export function AnswerView({ text, sources, onLeave }: AnswerProps) {
  const origins = listOrigins(sources);
  const titleOf = (url: string) => sources.find((one) => one.url === url)?.title ?? url;
  const write = (parts: readonly Inline[]) =>
    parts.map((part, place) => {
      // The index is a stable key, because an answer only grows at its end.
      const key = `${place}`;
      if (part.type === "code") return <code key={key}>{part.text}</code>;
      if (part.type === "strong") return <strong key={key}>{part.text}</strong>;
      if (part.type === "text") return <span key={key}>{part.text}</span>;
      const isCite = part.type === "cite";
      return (
        <PlaceLink
          key={key}
          url={part.url}
          origins={origins}
          onLeave={onLeave}
          className={isCite ? styles.cite : undefined}
          label={isCite ? words.source(part.number, titleOf(part.url)) : undefined}
        >
          {isCite ? part.number : part.text}
        </PlaceLink>
      );
    });
  return (
    <Stack gap={2} className={styles.answer}>
      {parseAnswer(text).map((block, place) => {
        const key = `${place}`;
        if (block.type === "code") return <pre key={key}>{block.text}</pre>;
        if (block.type === "quote") return <blockquote key={key}>{write(block.parts)}</blockquote>;
        if (block.type === "paragraph") return <p key={key}>{write(block.parts)}</p>;
        return (
          <ul key={key}>
            {block.items.map((item, at) => {
              const itemKey = `${key}-${at}`;
              return <li key={itemKey}>{write(item)}</li>;
            })}
          </ul>
        );
      })}
    </Stack>
  );
}

export function SourceList({ sources, onLeave }: Omit<AnswerProps, "text">) {
  if (sources.length === 0) return null;
  const origins = listOrigins(sources);
  return (
    <Row
      as="p"
      gap={3}
      tight
      className={`${styles.sources} ${textStyles.small} ${textStyles.wrap}`}
    >
      <span>{words.sources}</span>
      {sources.map(({ url, title }) => (
        <PlaceLink key={url} url={url} origins={origins} onLeave={onLeave}>
          {title}
        </PlaceLink>
      ))}
    </Row>
  );
}
