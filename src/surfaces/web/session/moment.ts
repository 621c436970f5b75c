import { useEffect, useState } from "preact/hooks";

const FIELD = "change";

/** The moment in an address: the number of the last change that is shown. */
function momentIn(search: string): number | undefined {
  const given = new URLSearchParams(search).get(FIELD) ?? "";
  return /^[1-9]\d{0,8}$/.test(given) ? Number(given) : undefined;
}

/**
 * The moment of the history that the page shows, and a function that changes it; undefined for now. The address has it:
 * it can be shared, and Back returns to now.
 */
export function useMoment(): readonly [number | undefined, (to: number | undefined) => void] {
  const [moment, setMoment] = useState(momentIn(location.search));
  useEffect(() => {
    const back = () => setMoment(momentIn(location.search));
    addEventListener("popstate", back);
    return () => removeEventListener("popstate", back);
  }, []);
  const show = (to: number | undefined): void => {
    const from = momentIn(location.search);
    if (to === from) return;
    const address = to === undefined ? location.pathname : `${location.pathname}?${FIELD}=${to}`;
    // A slider reports many moments; one entry of the history is enough.
    if (to === undefined || from === undefined) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
    setMoment(to);
  };
  return [moment, show];
}
