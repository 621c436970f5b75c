import { IDENTITIES } from "../../agents/identities.ts";
import { agentLook } from "../text/agents.ts";

/** The colors of the page, see `surfaces/web/styles/tokens.css`. */
const LIGHT = `--bg:#f7f7f5;--surface:#fff;--line:#e4e4df;--line-2:#cfcfc8;--ink:#1b1c1e;--ink-2:#4e525a;--ink-3:#656a73;--you:#1f5fd6;--verified:#17794a;--watch:#8a5a00;--broken:#b3261e;--brand:#b04a22;--other:#5b636e`;
const DARK = `--bg:#0f1012;--surface:#16181b;--line:#272a30;--line-2:#383d45;--ink:#ecedef;--ink-2:#b1b6bf;--ink-3:#8f959f;--you:#8ab4ff;--verified:#56c78f;--watch:#e5b454;--broken:#ff8f85;--brand:#e99b76;--other:#a6adb8`;

function agentColors(shade: "light" | "dark"): string {
  return IDENTITIES.flatMap(({ id, color }) =>
    color ? [`.hue-${agentLook(id).hue}{--a:${color.page[shade]}}`] : [],
  ).join("");
}

/** Light and dark on screens, always light on paper. */
export function reportStyle(): string {
  return `:root{color-scheme:light;${LIGHT}}.hue-other{--a:var(--other)}${agentColors("light")}
@media screen and (prefers-color-scheme:dark){:root{color-scheme:dark;${DARK}}${agentColors("dark")}}
*{box-sizing:border-box}html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--bg);color:var(--ink);font:400 14px/20px system-ui,-apple-system,"Segoe UI",Inter,Roboto,"Open Sans",sans-serif}
h1,h2,h3,p,ul,ol,figure,dl,dd,table{margin:0;padding:0}ul,ol{list-style:none}
code{font:12px ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}b,strong{font-weight:600}
.num{font-variant-numeric:tabular-nums}.dim{color:var(--ink-3)}.bad{color:var(--broken)}.blue{color:var(--you)}
.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
main{max-width:760px;margin:0 auto;padding:28px 20px 40px}
.mast{display:flex;flex-wrap:wrap;align-items:center;gap:4px 8px;font-size:12px;color:var(--ink-3);margin-bottom:16px}.mast b{color:var(--ink)}.mast svg{color:var(--brand)}.mast .r{margin-left:auto}
.lead{border:1px solid var(--line);border-left:4px solid var(--line-2);border-radius:8px;background:var(--surface);padding:16px 20px}
.lead.failed{border-color:var(--broken)}.lead.stuck,.lead.unproven{border-left-color:var(--watch)}.lead.waiting{border-left-color:var(--you)}.lead.good{border-left-color:var(--verified)}
.lead h1{font-size:24px;line-height:31px;font-weight:600;letter-spacing:-.018em;overflow-wrap:anywhere}.lead p{margin-top:6px;color:var(--ink-2);font-size:15px;line-height:22px;max-width:62ch}
.nums{display:grid;grid-template-columns:repeat(5,1fr);margin-top:14px;border-top:1px solid var(--line);padding-top:12px;gap:12px}.nums dt{font-size:12px;line-height:16px;color:var(--ink-3)}.nums dd{font-size:18px;line-height:24px;font-weight:600}
.blk{margin-top:26px}.blk>h2{font-size:15px;line-height:22px;font-weight:600;display:flex;align-items:baseline;gap:8px;padding-bottom:6px;border-bottom:1px solid var(--line-2);break-after:avoid}.blk>h2 span{font-weight:400;font-size:12px;color:var(--ink-3);margin-left:auto;text-align:right}
.it{display:grid;grid-template-columns:22px minmax(0,1fr) auto;gap:0 10px;padding:9px 0;border-bottom:1px solid var(--line);break-inside:avoid;overflow-wrap:anywhere}.it>svg{margin:2px 0 0 3px}.it .n{font-size:13px;color:var(--ink-2);text-align:right}.it .d{grid-column:2;font-size:13px;line-height:19px;color:var(--ink-2)}
.say{padding:9px 0;font-size:13px;line-height:19px;color:var(--ink-2);border-bottom:1px solid var(--line);overflow-wrap:anywhere}
.ag{font-size:12px}.agent{color:var(--a);font-weight:600}
.m-failed,.m-looping{color:var(--broken)}.m-stalled{color:var(--watch)}.m-you{color:var(--you)}.m-reproduced,.m-verified{color:var(--verified)}.m-unverified,.m-open{color:var(--ink-3)}
.two{display:grid;grid-template-columns:1fr 1fr;gap:16px 32px;padding-top:12px}.two h3{font-size:12px;line-height:16px;font-weight:600;color:var(--ink-2);margin-bottom:8px}
.bar{margin-bottom:10px;break-inside:avoid}.bar span{display:flex;gap:8px;font-size:12px;line-height:18px;color:var(--ink-2)}.bar span b{margin-left:auto;color:var(--ink);white-space:nowrap}.bar em{font-style:normal;overflow-wrap:anywhere}.bar svg{display:block;width:100%;height:7px}
figcaption,.note{font-size:12px;line-height:17px;color:var(--ink-3);margin-top:8px}
.tl{padding-top:14px;overflow-x:auto}.tl svg{display:block;width:100%;min-width:560px;height:auto}.tl text{font:400 12px system-ui,-apple-system,"Segoe UI",sans-serif;fill:var(--ink-2)}.tl text.s{fill:var(--ink-3);font-size:11px}
:focus-visible{outline:2px solid var(--you);outline-offset:2px}
table{border-collapse:collapse;width:100%;font-size:13px}td,th{text-align:left;padding:6px 10px 6px 0;border-bottom:1px solid var(--line);vertical-align:top;font-weight:400;overflow-wrap:anywhere}td:first-child code{white-space:nowrap}td:last-child,th:last-child{text-align:right;padding-right:0;white-space:nowrap;color:var(--ink-3)}
.end{margin-top:28px;font-size:12px;line-height:18px;color:var(--ink-3)}
@media (max-width:600px){main{padding:16px 12px 32px}.lead{padding:14px}.lead h1{font-size:20px;line-height:27px}.nums{grid-template-columns:repeat(3,1fr)}.two{grid-template-columns:1fr}.it .ag{display:block}.it .d{grid-column:2/-1;margin-top:2px}.w{display:none}}
@media print{:root{--bg:#fff}main{max-width:none;padding:0}.blk{margin-top:18px}.tl{overflow:visible}.lead{border-left-width:6px}}
@page{margin:16mm}`;
}
