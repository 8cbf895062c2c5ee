// Comfort only: every page works without this. Suggestions, copy buttons, keyboard.
"use strict";
(() => {
  const all = (selector) => document.querySelectorAll(selector);

  for (const button of all("button.copy")) {
    if (!navigator.clipboard) break;
    button.hidden = false;
    const label = button.textContent;
    button.setAttribute("aria-label", label);
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      let said = "Copied";
      try {
        await navigator.clipboard.writeText(button.dataset.copy);
        button.classList.add("done");
      } catch {
        said = "Not copied";
      }
      button.textContent = said;
      setTimeout(() => { button.textContent = "Copy"; button.classList.remove("done"); }, 1500);
    });
  }

  document.addEventListener("keydown", (event) => {
    const field = document.querySelector("input[data-suggest]");
    const isTyping = /^(input|textarea|select)$/i.test(event.target.tagName);
    const isSearchKey = (event.key === "k" && (event.ctrlKey || event.metaKey)) || (event.key === "/" && !isTyping);
    if (!field || !isSearchKey) return;
    event.preventDefault();
    field.focus();
    field.select();
  });

  const suggest = (field) => {
    const list = document.createElement("ul");
    list.className = "suggest";
    list.id = field.id + "-suggestions";
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", "Suggestions");
    list.hidden = true;
    field.after(list);
    field.setAttribute("role", "combobox");
    field.setAttribute("aria-autocomplete", "list");
    field.setAttribute("aria-expanded", "false");
    field.setAttribute("aria-controls", list.id);
    let chosen = -1, timer = 0, request = null;

    const close = () => {
      list.hidden = true;
      chosen = -1;
      field.setAttribute("aria-expanded", "false");
      field.removeAttribute("aria-activedescendant");
    };
    const choose = (index) => {
      const items = list.children;
      if (chosen >= 0) items[chosen].setAttribute("aria-selected", "false");
      chosen = (index + items.length + 1) % (items.length + 1);
      if (chosen === items.length) {
        chosen = -1;
        field.removeAttribute("aria-activedescendant");
        return;
      }
      items[chosen].setAttribute("aria-selected", "true");
      field.setAttribute("aria-activedescendant", items[chosen].id);
    };
    const show = (suggestions) => {
      if (document.activeElement !== field) return;
      // A choice outlives newer suggestions that still hold it.
      const kept = chosen < 0 ? -1 : suggestions.findIndex((s) => s.url === list.children[chosen].dataset.url);
      list.replaceChildren(...suggestions.map((s, i) => {
        const item = document.createElement("li");
        item.id = list.id + "-" + i;
        item.setAttribute("role", "option");
        item.setAttribute("aria-selected", "false");
        const name = document.createElement("span");
        name.textContent = s.name;
        const runs = document.createElement("small");
        runs.textContent = s.runs;
        item.append(name, runs);
        item.addEventListener("mousedown", (event) => { event.preventDefault(); location.href = s.url; });
        item.dataset.url = s.url;
        return item;
      }));
      chosen = -1;
      field.removeAttribute("aria-activedescendant");
      list.hidden = suggestions.length === 0;
      field.setAttribute("aria-expanded", String(!list.hidden));
      if (kept >= 0) choose(kept);
    };
    field.addEventListener("input", () => {
      clearTimeout(timer);
      if (request) request.abort();
      if (field.value.trim().length < 2) return close();
      timer = setTimeout(async () => {
        request = new AbortController();
        try {
          const answer = await fetch("/suggest?q=" + encodeURIComponent(field.value), { signal: request.signal });
          if (answer.ok) show((await answer.json()).suggestions);
        } catch { /* a newer request replaced this one, or there is no network */ }
      }, 120);
    });
    field.addEventListener("keydown", (event) => {
      if (list.hidden) return;
      if (event.key === "ArrowDown") choose(chosen + 1);
      else if (event.key === "ArrowUp") choose(chosen < 0 ? list.children.length - 1 : chosen - 1 < 0 ? list.children.length : chosen - 1);
      else if (event.key === "Enter" && chosen >= 0) location.href = list.children[chosen].dataset.url;
      else if (event.key === "Escape") close();
      else return;
      event.preventDefault();
    });
    field.addEventListener("blur", close);
  };
  for (const field of all("input[data-suggest]")) suggest(field);
})();
