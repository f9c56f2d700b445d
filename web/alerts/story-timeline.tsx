import { AddressLink } from "../parts/address-link.tsx";
import { CheckIcon } from "../parts/icons.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import textStyles from "../parts/text.module.css";
import { DateTime } from "../parts/time.tsx";
import { AlertKind } from "./alert-kind.tsx";
import styles from "./alerts.module.css";
import { DeliveryRow } from "./delivery-row.tsx";
import { type Decision, listEvents, type Message, type Story } from "./story.ts";
import { words } from "./words.ts";

const own = words.story;

interface DecisionEventProps {
  readonly decision: Decision;
  readonly messages: readonly Message[];
}

function DecisionEvent({ decision, messages }: DecisionEventProps) {
  const { heldAlertType, alertType, reason, explanation, parentCheckId } = decision;
  const { checkResultId, checkId, name, isReminder } = decision;
  const isHeld = heldAlertType !== null;
  return (
    <>
      <Row gap={4} tight>
        <AlertKind type={heldAlertType ?? alertType} />
        {isHeld && <span className={textStyles.muted}>{words.list.held}</span>}
        {isReminder && <span className={textStyles.muted}>{words.list.reminder}</span>}
      </Row>
      <p>{explanation ?? reason.replaceAll("-", " ")}</p>
      <Row as="p" gap={4} tight>
        {parentCheckId !== null && (
          <AddressLink href={`/checks/${parentCheckId}`}>{own.parent}</AddressLink>
        )}
        {checkResultId !== null && name !== null && (
          <AddressLink href={`/checks/${checkId}?run=${checkResultId}`}>{own.run}</AddressLink>
        )}
      </Row>
      {!isHeld && messages.length === 0 && (
        <p className={textStyles.muted}>{words.list.toldNobody}</p>
      )}
      {messages.length > 0 && (
        <ul aria-label={own.messages}>
          {messages.map((message) => (
            <DeliveryRow key={message.id} message={message} />
          ))}
        </ul>
      )}
    </>
  );
}

/** Events of the alert, oldest first. */
export function Timeline({ story }: { readonly story: Story }) {
  return (
    <Stack as="ol" gap={0} className={styles.timeline}>
      {listEvents(story).map((event) => (
        <li key={event.type === "decision" ? event.decision.id : event.type}>
          <span className={textStyles.muted}>
            <DateTime at={event.at} hasSeconds />
          </span>
          <Stack gap={1} className={textStyles.wrap}>
            {event.type === "decision" && <DecisionEvent {...event} />}
            {event.type === "acknowledged" && (
              <Row as="p" gap={4} tight>
                <CheckIcon size={16} />
                <span>
                  {own.acknowledgedBy} <bdi>{event.by}</bdi>
                </span>
              </Row>
            )}
            {event.type === "omitted" && (
              <p className={textStyles.muted}>{own.omitted(event.count)}</p>
            )}
          </Stack>
        </li>
      ))}
    </Stack>
  );
}
