import { Button } from "@mantine/core";
import { type PointerEvent, useState } from "react";
import { Row } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import styles from "./cards.module.css";
import { CrossButton } from "./cross-button.tsx";
import { Handle } from "./handle.tsx";
import { ServiceDialog } from "./service-dialog.tsx";
import { followsNothing, type Services } from "./services.ts";
import { words } from "./words.ts";

interface ServiceRowProps {
  readonly serviceId: string;
  readonly services: Services;
  readonly handleId: string;
  /** Whether the dragged item would be inserted before this one. */
  readonly isTarget: boolean;
  readonly onStep: (step: -1 | 1) => void;
  readonly onGrab: (event: PointerEvent<HTMLElement>) => void;
  readonly onRemove: () => void;
  /** Called when the service was deleted. */
  readonly onDeleted: () => void;
}

export function ServiceRow(props: ServiceRowProps) {
  const { serviceId, services, handleId, isTarget, onStep, onGrab, onRemove, onDeleted } = props;
  const [isEditing, setEditing] = useState(false);
  const service = services.find(serviceId);
  const name = services.nameOf(serviceId);
  return (
    <>
      {isTarget && <li className={styles.line} />}
      <Row as="li" nowrap className={styles.service} data-service={serviceId}>
        <Handle name={name} id={handleId} onStep={onStep} onGrab={onGrab} />
        <Row as="span" gap={3} tight align="baseline" className={styles.serviceName}>
          <bdi>{name}</bdi>
          {service &&
            (followsNothing(service) ? (
              <span className={`${textStyles.fair} ${textStyles.small}`}>
                {words.followsNothing}
              </span>
            ) : (
              <span className={textStyles.hint}>{words.follows(service.follows)}</span>
            ))}
        </Row>
        {service && (
          <Button
            variant="default"
            size="compact-sm"
            aria-label={words.editService(name)}
            onClick={() => setEditing(true)}
          >
            {words.edit}
          </Button>
        )}
        <CrossButton label={words.removeService(name)} onClick={onRemove} />
        {service && isEditing && (
          <ServiceDialog
            service={service}
            onClose={() => setEditing(false)}
            onDeleted={onDeleted}
          />
        )}
      </Row>
    </>
  );
}
