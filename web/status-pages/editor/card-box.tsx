import { TextInput } from "@mantine/core";
import type { PointerEvent } from "react";
import { getFieldError } from "../../editing/index.ts";
import { Row, Stack } from "../../parts/layout.tsx";
import * as order from "./card-order.ts";
import styles from "./cards.module.css";
import { CrossButton } from "./cross-button.tsx";
import { Handle } from "./handle.tsx";
import type { CardValues } from "./page-values.ts";
import { ServicePicker } from "./service-picker.tsx";
import { ServiceRow } from "./service-row.tsx";
import type { Services } from "./services.ts";
import type { Drag, Dragged } from "./use-drag.ts";
import type { PageEditor } from "./use-page-editor.ts";
import { words } from "./words.ts";

interface CardBoxProps {
  readonly card: CardValues;
  readonly index: number;
  readonly editor: PageEditor;
  readonly services: Services;
  readonly error: unknown;
  readonly drag: Drag | null;
  readonly onGrab: (dragged: Dragged, event: PointerEvent<HTMLElement>) => void;
  readonly onStep: (dragged: Dragged, step: -1 | 1) => void;
}

function CardHead({ card, index, editor, error, onGrab, onStep }: CardBoxProps) {
  const { cards } = editor.values;
  const dragged = { kind: "card", cardKey: card.key } as const;
  return (
    <Row nowrap>
      <Handle
        name={card.name}
        id={card.key}
        onStep={(step) => onStep(dragged, step)}
        onGrab={(event) => onGrab(dragged, event)}
      />
      <TextInput
        className={styles.cardName ?? ""}
        aria-label={words.cardName}
        value={card.name}
        maxLength={255}
        required
        error={getFieldError(error, `cards.${index}.name`)}
        onChange={({ currentTarget }) =>
          editor.change({ cards: order.renameCard(cards, card.key, currentTarget.value) })
        }
      />
      <CrossButton
        label={words.removeCard(card.name)}
        onClick={() => editor.change({ cards: order.removeCard(cards, card.key) })}
      />
    </Row>
  );
}

export function CardBox(props: CardBoxProps) {
  const { card, index, editor, services, error, drag, onGrab, onStep } = props;
  const { cards } = editor.values;
  const place = drag?.dragged.kind === "service" ? drag.place : null;
  const target = place?.cardKey === card.key ? place.index : null;
  const isCardTarget = drag?.dragged.kind === "card" && drag.place.index === index;
  const isDragged = drag?.dragged.kind === "card" && drag.dragged.cardKey === card.key;
  const fault = getFieldError(error, `cards.${index}.services`);
  return (
    <>
      {isCardTarget && <div className={styles.line} />}
      <Stack
        as="fieldset"
        gap={2}
        className={styles.card}
        data-card={card.key}
        data-dragged={isDragged}
      >
        <legend className="unseen">{words.card(card.name)}</legend>
        <CardHead {...props} />
        <Stack as="ul" gap={0}>
          {card.serviceIds.map((serviceId, at) => {
            const dragged = { kind: "service", cardKey: card.key, serviceId } as const;
            return (
              <ServiceRow
                key={serviceId}
                serviceId={serviceId}
                services={services}
                handleId={`${card.key} ${serviceId}`}
                isTarget={target === at}
                onStep={(step) => onStep(dragged, step)}
                onGrab={(event) => onGrab(dragged, event)}
                onRemove={() => editor.change({ cards: order.removeService(cards, dragged) })}
                onDeleted={() => editor.change({ cards: order.forgetService(cards, serviceId) })}
              />
            );
          })}
          {target === card.serviceIds.length && <li className={styles.line} />}
        </Stack>
        {fault && <p className={styles.fault}>{fault}</p>}
        <ServicePicker
          card={card}
          services={services}
          onAdd={(serviceId) =>
            editor.update((before) => ({
              ...before,
              cards: order.addService(before.cards, { cardKey: card.key, serviceId }),
            }))
          }
        />
      </Stack>
    </>
  );
}
