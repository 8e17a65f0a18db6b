"use strict";
(() => {
  // Decision boundaries: one picture at a time, chosen by the slider.
  for (const film of document.querySelectorAll(".film")) {
    const control = film.querySelector(".control");
    const slider = control.querySelector("input");
    const name = control.querySelector("output");
    const frames = [...film.querySelectorAll(".frame")];
    const show = () => {
      frames.forEach((frame, index) => frame.classList.toggle("current", index === slider.valueAsNumber));
      name.textContent = frames[slider.valueAsNumber].dataset.name;
      slider.setAttribute("aria-valuetext", name.textContent);
    };
    slider.value = film.dataset.start;
    slider.addEventListener("input", show);
    control.hidden = false;
    film.classList.add("playing");
    show();
  }

  // Tips: at once, and also under a finger. The browser's own hints would come on top of them.
  const tip = document.createElement("div");
  tip.id = "tip";
  tip.hidden = true;
  document.body.append(tip);
  for (const title of document.querySelectorAll(".tips title")) {
    title.parentNode.dataset.tip = title.textContent;
    title.remove();
  }
  const point = (event) => {
    const text = event.target instanceof Element ? event.target.getAttribute("data-tip") : null;
    tip.hidden = !text;
    if (!text) return;
    tip.textContent = text;
    const { width, height } = tip.getBoundingClientRect();
    const left = Math.min(event.clientX + 12, document.documentElement.clientWidth - width - 4);
    const above = event.clientY - height - 12;
    tip.style.left = `${Math.max(4, left)}px`;
    tip.style.top = `${above < 4 ? event.clientY + 16 : above}px`;
  };
  for (const kind of ["pointermove", "pointerdown"]) document.addEventListener(kind, point, { passive: true });
  document.addEventListener("scroll", () => { tip.hidden = true; }, { passive: true, capture: true });
})();
