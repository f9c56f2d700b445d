import { Button, Modal } from "@mantine/core";
import type { ReactNode } from "react";
import styles from "./confirm-dialog.module.css";
import { Row, Stack } from "./layout.tsx";
import textStyles from "./text.module.css";

interface ConfirmDialogProps {
  readonly isOpen: boolean;
  readonly title: string;
  /** Text that names what will be lost. */
  readonly children: ReactNode;
  /**
   * Label of the button that confirms the action. The label contains a verb, such as "Delete 3
   * checks".
   */
  readonly action: string;
  readonly isBusy?: boolean;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

/** Asks for confirmation before a destructive action. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { isOpen, title, children, action, isBusy = false, onConfirm, onCancel } = props;
  return (
    <Modal
      opened={isOpen}
      onClose={onCancel}
      title={title}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Stack gap={2} className={textStyles.wrap}>
        {children}
      </Stack>
      <Row justify="end" className={styles.actions}>
        <Button variant="default" onClick={onCancel} data-autofocus>
          Cancel
        </Button>
        <Button color="red" loading={isBusy} onClick={onConfirm}>
          {action}
        </Button>
      </Row>
    </Modal>
  );
}
