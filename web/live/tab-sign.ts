/** The browser's tab shows how many checks are failing, in words and on its icon. */
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { overviewQuery } from "../now/queries.ts";
import { words } from "./words.ts";

const iconSize = 64;

function drawIcon(count: number, color: string): string | null {
  const canvas = document.createElement("canvas");
  canvas.width = iconSize;
  canvas.height = iconSize;
  const pen = canvas.getContext("2d");
  if (pen === null) return null;
  pen.fillStyle = color;
  pen.beginPath();
  pen.roundRect(0, 0, iconSize, iconSize, 14);
  pen.fill();
  pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--mark");
  pen.font = `bold ${count > 9 ? 36 : 46}px sans-serif`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillText(count > 99 ? "99+" : String(count), iconSize / 2, iconSize / 2 + 3);
  return canvas.toDataURL("image/png");
}

export function useTabSign(): void {
  // A tab that nobody sees has no stream; its sign is worth one small question a minute.
  const { data } = useQuery({
    ...overviewQuery,
    refetchInterval: 60_000,
    refetchIntervalInBackground: true,
  });
  const failing = data?.counts.failing ?? 0;
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    const plain = "/favicon.svg";
    document.title = failing === 0 ? "Vedette" : `(${words.failing(failing)}) Vedette`;
    const color = getComputedStyle(document.documentElement).getPropertyValue("--bad");
    const drawn = failing === 0 ? null : drawIcon(failing, color);
    if (link === null) return;
    link.type = drawn === null ? "image/svg+xml" : "image/png";
    link.href = drawn ?? plain;
    return () => {
      document.title = "Vedette";
      link.type = "image/svg+xml";
      link.href = plain;
    };
  }, [failing]);
}
