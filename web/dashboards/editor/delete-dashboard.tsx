import { Button } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, send } from "../../api/client.ts";
import { useDeletion } from "../../api/use-deletion.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { TrashIcon } from "../../parts/icons.tsx";
import { showNotice } from "../../parts/notices.tsx";
import type { Dashboard } from "../dashboard-types.ts";
import { addressOf, dashboardQuery } from "../queries.ts";
import { words } from "../words.ts";

interface DeleteDashboardProps {
  readonly dashboard: Dashboard;
  readonly onGone: () => void;
}

export function DeleteDashboard({ dashboard, onGone }: DeleteDashboardProps) {
  const { dashboardId, header } = dashboard;
  const [isConfirming, setConfirming] = useState(false);
  const navigate = useNavigate();
  const remove = useDeletion({
    of: [dashboardQuery(dashboardId).queryKey],
    send: () => {
      const params = { path: { dashboardId } };
      return send(api.DELETE("/v1/dashboards/{dashboardId}", { params }));
    },
    leave: () => {
      onGone();
      setConfirming(false);
      showNotice({ text: words.deleted(header) });
      return navigate({ to: "/dashboards", ignoreBlocker: true });
    },
    renew: [["dashboards"]],
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
  });
  return (
    <>
      <Button
        variant="outline"
        color="red"
        leftSection={<TrashIcon size={16} />}
        onClick={() => setConfirming(true)}
      >
        {words.delete}
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        title={words.deleteTitle(header)}
        action={words.deleteAction}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
        onCancel={() => setConfirming(false)}
      >
        <p>{words.deleteText(addressOf(dashboard))}</p>
        <p>{words.deleteKeys(dashboard.keys.length)}</p>
      </ConfirmDialog>
    </>
  );
}
