import { Button, Modal, NativeSelect, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, type Schemas, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { mayDo, type Role, useMay, useSession } from "../api/session.ts";
import { getFieldError, getFormError, useDraft } from "../editing/index.ts";
import { CopyButton } from "../parts/buttons.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { FormLayout, Row, Stack } from "../parts/layout.tsx";
import textStyles from "../parts/text.module.css";
import { words } from "./words.ts";

const own = words.keys;
const dayMs = 86_400_000;
const roleNames: readonly Role[] = ["READ_ONLY", "READ_RUN", "READ_WRITE", "ADMIN", "OWNER"];
/** Maps each role to the permission that requires at least this role. */
const accessOf = {
  READ_ONLY: "read",
  READ_RUN: "run",
  READ_WRITE: "write",
  ADMIN: "admin",
  OWNER: "owner",
} as const;

function writeCurl(rawKey: string): string {
  return `curl -H "Authorization: Bearer ${rawKey}" ${location.origin}/v1/check-statuses`;
}

function CreatedKey({ created, onDone }: CreatedKeyProps) {
  const curl = writeCurl(created.rawKey);
  return (
    <Stack>
      <p>{own.shownOnce}</p>
      <Stack>
        <span>{own.key}</span>
        <code className={textStyles.code}>{created.rawKey}</code>
        <div>
          <CopyButton text={created.rawKey} />
        </div>
      </Stack>
      <Stack>
        <span>{own.tryIt}</span>
        <code className={textStyles.code}>{curl}</code>
        <div>
          <CopyButton text={curl} label="Copy command" />
        </div>
      </Stack>
      <Row>
        <Button onClick={onDone}>{own.done}</Button>
      </Row>
    </Stack>
  );
}

interface CreatedKeyProps {
  readonly created: Schemas["CreatedApiKey"];
  readonly onDone: () => void;
}

interface KeyDraft {
  readonly name: string;
  readonly role: Role;
  readonly type: "USER" | "SERVICE";
  readonly days: string;
}

function useNewKey(onCreated: (key: Schemas["CreatedApiKey"]) => void) {
  const { role: ownRole } = useSession();
  const queryClient = useQueryClient();
  const most: Role = mayDo(ownRole, "write") ? "READ_WRITE" : ownRole;
  const start: KeyDraft = { name: "", role: most, type: "USER", days: "" };
  const [draft, setDraft, forget] = useDraft("new-key", start);
  const create = useMutation({
    mutationFn: () =>
      send(
        api.POST("/v1/api-keys", {
          body: {
            name: draft.name.trim(),
            role: draft.role,
            type: draft.type,
            expiresAt:
              draft.days === ""
                ? null
                : new Date(Date.now() + Number(draft.days) * dayMs).toISOString(),
          },
        }),
      ),
    onSuccess: async (created) => {
      forget();
      onCreated(created);
      await renewQueries(queryClient, ["api-keys"]);
    },
  });
  return { draft, setDraft, create };
}

function NewKeyForm({ onCreated }: { onCreated: (key: Schemas["CreatedApiKey"]) => void }) {
  const { role: ownRole } = useSession();
  const isAdmin = useMay("admin");
  const { draft, setDraft, create } = useNewKey(onCreated);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  const beside = getFormError(create.error, ["name", "role", "type", "expiresAt"]);
  const allowed = roleNames.filter((role) => mayDo(ownRole, accessOf[role]));
  return (
    <FormLayout onSubmit={submit}>
      <TextInput
        label={own.name}
        description={own.nameHint}
        required
        maxLength={255}
        data-autofocus
        value={draft.name}
        error={getFieldError(create.error, "name")}
        onChange={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
      />
      <NativeSelect
        label={own.role}
        value={draft.role}
        error={getFieldError(create.error, "role")}
        onChange={(event) => setDraft({ ...draft, role: event.currentTarget.value as Role })}
        data={allowed.map((role) => ({ value: role, label: words.roles[role] }))}
      />
      {isAdmin && (
        <NativeSelect
          label={own.type}
          value={draft.type}
          error={getFieldError(create.error, "type")}
          onChange={(event) =>
            setDraft({ ...draft, type: event.currentTarget.value as KeyDraft["type"] })
          }
          data={[
            { value: "USER", label: own.mine },
            { value: "SERVICE", label: own.service },
          ]}
        />
      )}
      <NativeSelect
        label={own.expires}
        value={draft.days}
        error={getFieldError(create.error, "expiresAt")}
        onChange={(event) => setDraft({ ...draft, days: event.currentTarget.value })}
        data={[
          { value: "", label: own.never },
          ...Object.entries(own.expiries).map(([value, label]) => ({ value, label })),
        ]}
      />
      {beside && <ErrorPanel error={beside} />}
      <Row>
        <Button type="submit" loading={create.isPending}>
          {own.createIt}
        </Button>
      </Row>
    </FormLayout>
  );
}

interface NewKeyDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Shows the form of a new API key, and then the key itself, which cannot be shown again. */
export function NewKeyDialog({ isOpen, onClose }: NewKeyDialogProps) {
  const [created, setCreated] = useState<Schemas["CreatedApiKey"] | null>(null);
  const close = () => {
    setCreated(null);
    onClose();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={created === null ? own.create : created.name}
      closeButtonProps={{ "aria-label": "Close" }}
      // Clicking outside must not close the dialog, because the key cannot be shown again.
      closeOnClickOutside={created === null}
      closeOnEscape={created === null}
    >
      {created === null ? (
        <NewKeyForm onCreated={setCreated} />
      ) : (
        <CreatedKey created={created} onDone={close} />
      )}
    </Modal>
  );
}
