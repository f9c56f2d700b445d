import { Button } from "@mantine/core";
import { Row } from "../parts/layout.tsx";
import styles from "./agent.module.css";
import { ScreenLink } from "./answer-view.tsx";
import type { Card, CardState } from "./conversation.ts";
import { words } from "./words.ts";

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

/**
 * Shows a proposed change. It is applied only after the user confirms it and the server accepts it.
 */
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
