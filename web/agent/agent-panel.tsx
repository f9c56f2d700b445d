import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { aboutQuery } from "../api/about.ts";
import { useSession } from "../api/session.ts";
import { Callout } from "../parts/blocks.tsx";
import buttonStyles from "../parts/buttons.module.css";
import { IconButton, LinkButton } from "../parts/buttons.tsx";
import { CloseIcon } from "../parts/icons.tsx";
import layoutStyles from "../parts/layout.module.css";
import { Row } from "../parts/layout.tsx";
import textStyles from "../parts/text.module.css";
import { useIsPhone } from "../parts/use-is-phone.ts";
import styles from "./agent.module.css";
import {
  ask,
  claimConversation,
  clearConversation,
  confirm,
  decline,
  readTurns,
  stopAnswer,
  subscribe,
} from "./agent-store.ts";
import { closeAgent, subscribeToAgentVisibility } from "./agent-visibility.ts";
import { AnswerView, ScreenLink, SourceList } from "./answer-view.tsx";
import { type Card, type CardState, maxQuestionLength, type Turn } from "./conversation.ts";
import { readScreen } from "./screen.ts";
import { listSuggestions, words } from "./words.ts";

const own = words.card;

interface ActionCardProps {
  readonly card: Card;
  readonly onConfirm: () => void;
  readonly onDecline: () => void;
  readonly onLeave: () => void;
}

function Outcome({ state, onLeave }: { readonly state: CardState; readonly onLeave: () => void }) {
  switch (state.name) {
    case "waiting":
      return null;
    case "sending":
      return <p role="status">{own.sending}</p>;
    case "declined":
      return <p role="status">{own.declined}</p>;
    case "gone":
      return <p role="status">{own.gone}</p>;
    case "failed":
      return (
        <p role="alert">
          {state.message}
          {state.requestId !== null && (
            <>
              {" "}
              {words.requestId} <code>{state.requestId}</code>
            </>
          )}
        </p>
      );
    case "done":
      return (
        <p role="status">
          {state.message}{" "}
          {state.href !== null && (
            <ScreenLink href={state.href} onLeave={onLeave}>
              {own.show}
            </ScreenLink>
          )}
        </p>
      );
  }
}

/** Shows a proposed action, which runs only after the user confirms and the server accepts it. */
export function ActionCard({ card, onConfirm, onDecline, onLeave }: ActionCardProps) {
  const { action, state } = card;
  const hasBefore = action.changes.some(({ before }) => before !== null);
  return (
    <section className={styles.card} aria-label={own.label(action.title)}>
      <h3>{action.title}</h3>
      <table>
        <thead>
          <tr>
            <th scope="col">{own.what}</th>
            {hasBefore && <th scope="col">{own.before}</th>}
            <th scope="col">{hasBefore ? own.after : own.value}</th>
          </tr>
        </thead>
        <tbody>
          {action.changes.map(({ what, before, after }) => (
            <tr key={what}>
              <th scope="row">{what}</th>
              {hasBefore && <td>{before ?? own.none}</td>}
              <td>{after ?? own.none}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {state.name === "waiting" && (
        <>
          <p className={styles.muted}>{own.nothingYet}</p>
          <Row nowrap className={styles.decide}>
            <Button onClick={onConfirm}>{own.confirm}</Button>
            <Button variant="default" onClick={onDecline}>
              {own.decline}
            </Button>
          </Row>
        </>
      )}
      <Outcome state={state} onLeave={onLeave} />
    </section>
  );
}

interface TurnViewProps {
  readonly turn: Turn;
  readonly onLeave: () => void;
  readonly onAgain: (question: string) => void;
}

function Failure({ turn, onAgain }: Pick<TurnViewProps, "turn" | "onAgain">) {
  if (turn.failure === null) return null;
  const { message, requestId } = turn.failure;
  return (
    <Callout tone="bad" className={styles.failure} role="alert">
      <p>
        {words.failed}. {message}
      </p>
      {requestId !== null && (
        <p className={styles.muted}>
          {words.requestId} <code>{requestId}</code>
        </p>
      )}
      <LinkButton onClick={() => onAgain(turn.question)}>{words.again}</LinkButton>
    </Callout>
  );
}

/** Shows a question, its answer with sources, and the actions that wait for confirmation. */
function TurnView({ turn, onLeave, onAgain }: TurnViewProps) {
  const { account } = useSession();
  const isWriting = turn.state === "writing";
  return (
    <article className={styles.turn}>
      <h3 className={textStyles.lines}>
        <span className="unseen">{words.you}: </span>
        {turn.question}
      </h3>
      <AnswerView text={turn.text} sources={turn.sources} onLeave={onLeave} />
      {isWriting && <p className={styles.muted}>{words.writing}</p>}
      {turn.state === "stopped" && <p className={styles.muted}>{words.stopped}</p>}
      <Failure turn={turn} onAgain={onAgain} />
      <SourceList sources={turn.sources} onLeave={onLeave} />
      {turn.cards.map((card) => {
        const actionId = card.action.id;
        const decision = { accountId: account.id, turnId: turn.id, actionId };
        return (
          <ActionCard
            key={actionId}
            card={card}
            onConfirm={() => void confirm(decision)}
            onDecline={() => void decline(decision)}
            onLeave={onLeave}
          />
        );
      })}
    </article>
  );
}

/**
 * Returns whether the panel covers the whole screen, as on a phone. While it does, the elements
 * behind it are inert.
 */
function useSheet(): boolean {
  const isSheet = useIsPhone();
  useEffect(() => {
    const behind = isSheet ? document.querySelectorAll<HTMLElement>("#content, nav") : [];
    for (const element of behind) element.inert = true;
    return () => {
      for (const element of behind) element.inert = false;
    };
  }, [isSheet]);
  return isSheet;
}

/** Shows which model answers, and whether data leaves the server. */
function Footer({ onLeave }: { readonly onLeave: () => void }) {
  const { data } = useQuery(aboutQuery);
  if (data === undefined) return <p className={`${styles.foot} ${textStyles.hint}`}>&nbsp;</p>;
  const { isBuiltIn, model } = data.agent;
  const outside = model === null ? words.outsideHidden : words.outside(model);
  return (
    <p className={`${styles.foot} ${textStyles.hint}`}>
      {isBuiltIn ? words.builtIn : outside}{" "}
      <Link to="/settings/agent" onClick={onLeave}>
        {isBuiltIn ? words.settings : words.whatLeft}
      </Link>
    </p>
  );
}

interface ComposerProps {
  readonly isWriting: boolean;
  readonly onAsk: (question: string) => void;
}

function Composer({ isWriting, onAsk }: ComposerProps) {
  const [text, setText] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const focus = () => field.current?.focus();
    focus();
    return subscribeToAgentVisibility(focus);
  }, []);
  const submit = () => {
    if (text.trim() === "" || isWriting) return;
    onAsk(text.trim());
    setText("");
  };
  return (
    <Row
      as="form"
      nowrap
      align="stretch"
      className={styles.composer}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <textarea
        ref={field}
        aria-label={words.field}
        placeholder={words.placeholder}
        rows={2}
        maxLength={maxQuestionLength}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          submit();
        }}
      />
      {isWriting ? (
        <Button variant="outline" h="auto" onClick={stopAnswer}>
          {words.stop}
        </Button>
      ) : (
        <Button type="submit" h="auto" disabled={text.trim() === ""}>
          {words.send}
        </Button>
      )}
    </Row>
  );
}

/**
 * The agent panel. Questions are sent with the open screen as context. The agent changes data only
 * after the user has confirmed the change.
 */
export function AgentPanel() {
  const { user, account } = useSession();
  const isSheet = useSheet();
  const { pathname } = useLocation();
  const log = useRef<HTMLDivElement>(null);
  const opener = useRef(document.activeElement);
  useEffect(() => {
    claimConversation(user.id, account.id);
  }, [user.id, account.id]);
  const turns = useSyncExternalStore(subscribe, readTurns);
  const context = readScreen(pathname);
  const isWriting = turns.at(-1)?.state === "writing";
  const put = (question: string) => void ask({ accountId: account.id, question, context });
  const leave = () => isSheet && closeAgent();
  // biome-ignore lint/correctness/useExhaustiveDependencies: new text scrolls the log
  useEffect(() => {
    log.current?.scrollTo({ top: log.current.scrollHeight });
  }, [turns]);
  useEffect(() => {
    const { current } = opener;
    return () => (current instanceof HTMLElement ? current.focus() : undefined);
  }, []);
  return (
    <section
      className={`${layoutStyles.panel} ${styles.panel}`}
      aria-label={words.title}
      role={isSheet ? "dialog" : "complementary"}
      {...(isSheet && { "aria-modal": true })}
      onKeyDown={(event) => event.key === "Escape" && closeAgent()}
    >
      <Row as="header" nowrap className={styles.head}>
        <h2>{words.title}</h2>
        {turns.length > 0 && <LinkButton onClick={clearConversation}>{words.clear}</LinkButton>}
        <IconButton aria-label={words.close} onClick={closeAgent}>
          <CloseIcon size={18} />
        </IconButton>
      </Row>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it must scroll by keyboard */}
      <div ref={log} className={styles.log} role="log" aria-label={words.log} tabIndex={0}>
        {turns.length === 0 && <p className={styles.muted}>{words.empty}</p>}
        {turns.map((turn) => (
          <TurnView key={turn.id} turn={turn} onLeave={leave} onAgain={put} />
        ))}
      </div>
      {!isWriting && (
        <Row as="ul" gap={1} className={styles.suggestions} aria-label={words.suggestions}>
          {listSuggestions(context?.kind ?? null, pathname).map((question) => (
            <li key={question}>
              <button type="button" className={buttonStyles.chip} onClick={() => put(question)}>
                {question}
              </button>
            </li>
          ))}
        </Row>
      )}
      {context !== null && (
        <p className={`${styles.context} ${textStyles.hint}`}>{words.about[context.kind]}</p>
      )}
      <Composer isWriting={isWriting} onAsk={put} />
      <Footer onLeave={leave} />
    </section>
  );
}
