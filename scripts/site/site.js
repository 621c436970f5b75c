// Search, the contents on a narrow screen, and a button to copy code.
(() => {
  const root = document.currentScript.dataset.root;
  const input = document.querySelector(".search input");
  const results = document.querySelector("#results");
  const MOST = 12;

  /** Every word must occur; a hit in a title counts more than one in the text. */
  function search(query) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return [];
    const found = [];
    for (const part of window.searchIndex) {
      const title = `${part.page} ${part.title}`.toLowerCase();
      const text = part.text.toLowerCase();
      let score = part.path.startsWith("api/") ? -3 : 0;
      for (const word of words) {
        const points = title.includes(word) ? 10 : text.includes(word) ? 1 : 0;
        if (points === 0) {
          score = Number.NaN;
          break;
        }
        score += points;
      }
      if (!Number.isNaN(score)) found.push({ part, score, first: words[0] });
    }
    return found.sort((a, b) => b.score - a.score).slice(0, MOST);
  }

  function excerpt(text, word) {
    const at = Math.max(0, text.toLowerCase().indexOf(word) - 40);
    return `${at > 0 ? "…" : ""}${text.slice(at, at + 120)}`;
  }

  function show(query) {
    const found = search(query);
    results.replaceChildren(
      ...found.map(({ part, first }) => {
        const link = document.createElement("a");
        link.className = "hit";
        link.href = `${root}/${part.path}#${part.anchor}`;
        const title = document.createElement("strong");
        title.textContent = part.title === part.page ? part.page : `${part.page} › ${part.title}`;
        const text = document.createElement("span");
        text.textContent = excerpt(part.text, first);
        link.append(title, text);
        const item = document.createElement("li");
        item.append(link);
        return item;
      }),
    );
    if (found.length === 0 && query.trim() !== "") {
      const item = document.createElement("li");
      item.textContent = "No results";
      results.append(item);
    }
    results.hidden = query.trim() === "";
  }

  function move(step) {
    const links = [input, ...results.querySelectorAll("a")];
    const next = links[links.indexOf(document.activeElement) + step];
    if (next) next.focus();
  }

  input.addEventListener("input", () => show(input.value));
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") results.querySelector("a")?.click();
  });
  addEventListener("keydown", (event) => {
    const isTyping = /^(?:INPUT|TEXTAREA)$/.test(document.activeElement?.tagName ?? "");
    if (event.key === "/" && !isTyping) {
      event.preventDefault();
      input.focus();
      input.select();
    } else if (event.key === "Escape" && !results.hidden) {
      results.hidden = true;
      input.blur();
    } else if (!results.hidden && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      move(event.key === "ArrowDown" ? 1 : -1);
    }
  });
  addEventListener("click", ({ target }) => {
    if (!target.closest(".search")) results.hidden = true;
  });

  const contents = document.querySelector("nav details");
  const current = document.querySelector("nav [aria-current]");
  const nav = document.querySelector("nav");
  // Only the navigation scrolls, not the page.
  if (current) nav.scrollTop = current.offsetTop - nav.clientHeight / 2;
  if (matchMedia("(max-width: 52rem)").matches) contents.open = false;

  for (const block of document.querySelectorAll("pre[data-language]")) {
    if (!navigator.clipboard) break;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      const text = block.querySelector("code").textContent;
      const commands = text
        .split("\n")
        .filter((line) => line.startsWith("$ "))
        .map((line) => line.slice(2));
      const isConsole = block.dataset.language === "console";
      await navigator.clipboard.writeText(isConsole ? commands.join("\n") : text);
      button.textContent = "Copied";
    });
    const frame = document.createElement("div");
    frame.className = "code";
    block.replaceWith(frame);
    frame.append(block, button);
  }
})();
