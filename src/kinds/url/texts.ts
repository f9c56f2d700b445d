import { mapHttpTexts } from "../http/http-texts.ts";
import type { KindTexts } from "../texts.ts";
import type { UrlMeasurement } from "./measurement.ts";
import type { UrlRequest } from "./request.ts";

export const texts: KindTexts<UrlRequest, UrlMeasurement> = {
  mapRequest: (request, change) => ({ ...request, url: change(request.url) }),
  mapMeasurement: (measurement, change) => {
    const { body } = measurement;
    return {
      ...mapHttpTexts(measurement, change),
      body: body && { ...body, text: change(body.text) },
    };
  },
};
