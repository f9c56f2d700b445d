/** Shows the number of failing checks in the title and the icon of the browser tab. */

import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { overviewQuery } from "../now/index.ts";
import { showFailing } from "../parts/screen-title.ts";

const iconSize = 64;
const iconPath = "/favicon.svg";

function openCanvas(): CanvasRenderingContext2D | null {
  const canvas = document.createElement("canvas");
  canvas.width = iconSize;
  canvas.height = iconSize;
  return canvas.getContext("2d");
}

function drawCount(count: number): string | null {
  const pen = openCanvas();
  if (pen === null) return null;
  const style = getComputedStyle(document.documentElement);
  pen.fillStyle = style.getPropertyValue("--bad");
  pen.beginPath();
  pen.roundRect(0, 0, iconSize, iconSize, 14);
  pen.fill();
  pen.fillStyle = style.getPropertyValue("--mark");
  pen.font = `bold ${count > 9 ? 36 : 46}px sans-serif`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillText(count > 99 ? "99+" : String(count), iconSize / 2, iconSize / 2 + 3);
  return pen.canvas.toDataURL("image/png");
}

/**
 * Copies the logo of the navigation, because a browser fetches an icon whenever its URL changes.
 */
function drawLogo(): string | null {
  const logo = document.querySelector<HTMLImageElement>(`img[src="${iconPath}"]`);
  if (logo === null || !logo.complete || logo.naturalWidth === 0) return null;
  const pen = openCanvas();
  pen?.drawImage(logo, 0, 0, iconSize, iconSize);
  return pen?.canvas.toDataURL("image/png") ?? null;
}

function showIcon(failing: number): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (link === null) return;
  // The original icon stays until the first failure.
  if (failing === 0 && link.getAttribute("href") === iconPath) return;
  const drawn = failing === 0 ? drawLogo() : drawCount(failing);
  link.type = drawn === null ? "image/svg+xml" : "image/png";
  link.href = drawn ?? iconPath;
}

export function useTabSign(): void {
  const { data } = useQuery({ ...overviewQuery, refetchInterval: 60_000 });
  const failing = data?.counts.failing ?? 0;
  useEffect(() => {
    showFailing(failing);
    showIcon(failing);
  }, [failing]);
  useEffect(
    () => () => {
      showFailing(0);
      showIcon(0);
    },
    [],
  );
}
