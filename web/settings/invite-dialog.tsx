import { Button, Modal, NativeSelect, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, type Schemas, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { getFieldError, getFormError, useDraft } from "../editing/index.ts";
import { Callout } from "../parts/blocks.tsx";
import { CopyButton } from "../parts/buttons.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { FormLayout, Row, Stack } from "../parts/layout.tsx";
import textStyles from "../parts/text.module.css";
import { words } from "./words.ts";

const own = words.members;
export type Invited = Schemas["CreatedInvite"];
export type GrantableRole = Schemas["Invite"]["role"];
const grantable: readonly GrantableRole[] = ["READ_ONLY", "READ_RUN", "READ_WRITE", "ADMIN"];

export function writeInviteLink(token: string): string {
  return `${location.origin}/invite#token=${encodeURIComponent(token)}`;
}

/** Shows that the invite was mailed. Only if it was not, shows the link to pass on. */
export function InviteLink({ invited }: { readonly invited: Invited }) {
  if (invited.isMailed) return <p>{own.mailed(invited.email)}</p>;
  const link = writeInviteLink(invited.token ?? "");
  return (
    <Stack>
      {invited.mailFault !== null && (
        <Callout as="p" tone="fair" role="alert">
          {own.notMailed(invited.mailFault)}
        </Callout>
      )}
      <p>{own.linkText(invited.email)}</p>
      <span>{own.link}</span>
      <code className={textStyles.code}>{link}</code>
      <div>
        <CopyButton text={link} />
      </div>
    </Stack>
  );
}

interface InviteDraft {
  readonly email: string;
  readonly role: GrantableRole;
}

function InviteForm({ onInvited }: { readonly onInvited: (invited: Invited) => void }) {
  const queryClient = useQueryClient();
  const start: InviteDraft = { email: "", role: "READ_ONLY" };
  const [draft, setDraft, forget] = useDraft("invite", start);
  const invite = useMutation({
    mutationFn: () => send(api.POST("/v1/accounts/me/invites", { body: draft })),
    onSuccess: async (invited) => {
      forget();
      onInvited(invited);
      await renewQueries(queryClient, ["members"]);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    invite.mutate();
  };
  const beside = getFormError(invite.error, ["email", "role"]);
  return (
    <FormLayout onSubmit={submit}>
      <TextInput
        label={own.email}
        type="email"
        required
        data-autofocus
        maxLength={254}
        value={draft.email}
        error={getFieldError(invite.error, "email")}
        onChange={(event) => setDraft({ ...draft, email: event.currentTarget.value })}
      />
      <NativeSelect
        label={own.role}
        value={draft.role}
        error={getFieldError(invite.error, "role")}
        onChange={(event) =>
          setDraft({ ...draft, role: event.currentTarget.value as GrantableRole })
        }
        data={grantable.map((role) => ({ value: role, label: words.roles[role] }))}
      />
      {beside && <ErrorPanel error={beside} />}
      <Row>
        <Button type="submit" loading={invite.isPending}>
          {own.send}
        </Button>
      </Row>
    </FormLayout>
  );
}

interface InviteDialogProps {
  readonly isOpen: boolean;
  /** Renewed invite whose link the dialog shows; `null` if no invite was renewed. */
  readonly again: Invited | null;
  readonly onClose: () => void;
}

export function InviteDialog({ isOpen, again, onClose }: InviteDialogProps) {
  const [made, setMade] = useState<Invited | null>(null);
  const invited = made ?? again;
  const close = () => {
    setMade(null);
    onClose();
  };
  return (
    <Modal
      opened={isOpen || again !== null}
      onClose={close}
      title={invited === null ? own.invite : invited.isMailed ? own.mailedTitle : own.link}
      closeButtonProps={{ "aria-label": "Close" }}
      closeOnClickOutside={invited === null}
    >
      {invited === null ? <InviteForm onInvited={setMade} /> : <InviteLink invited={invited} />}
    </Modal>
  );
}
