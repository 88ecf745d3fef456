"use strict";
for (const figure of document.querySelectorAll("figure.moment[data-start]")) {
  const audio = figure.querySelector("audio");
  const lanes = figure.querySelector(".lanes");
  const head = figure.querySelector(".head");
  const begin = Number(figure.dataset.start);
  const length = Number(figure.dataset.seconds);
  const turns = [...figure.querySelectorAll("li[data-from]")];

  const clock = (s) => {
    const tenths = Math.round(s * 10);
    const rest = tenths % 600;
    return `${Math.floor(tenths / 600)}:${String(Math.floor(rest / 10)).padStart(2, "0")}.${rest % 10}`;
  };
  const show = () => {
    const at = Math.min(length, audio.currentTime);
    const x = `${((100 * at) / length).toFixed(3)}%`;
    head.setAttribute("x1", x);
    head.setAttribute("x2", x);
    lanes.setAttribute("aria-valuenow", at.toFixed(1));
    lanes.setAttribute("aria-valuetext", clock(begin + at));
    const now = begin + at;
    for (const turn of turns) {
      const spoken = now >= Number(turn.dataset.from) && now < Number(turn.dataset.to);
      turn.classList.toggle("now", spoken && (!audio.paused || at > 0));
    }
  };
  const follow = () => {
    show();
    if (!audio.paused) requestAnimationFrame(follow);
  };
  const play = () =>
    audio.play().catch((stopped) => {
      if (stopped.name !== "AbortError") throw stopped; // a pause before the first sound is no error
    });
  const seek = (s) => {
    const end = Number.isFinite(audio.duration) ? Math.min(length, audio.duration) : length;
    audio.currentTime = Math.max(0, Math.min(end, s));
    show();
  };

  audio.addEventListener("play", () => {
    for (const other of document.querySelectorAll("audio")) if (other !== audio) other.pause();
    follow();
  });
  for (const kind of ["seeked", "timeupdate", "pause", "ended"]) audio.addEventListener(kind, show);
  lanes.addEventListener("click", (event) => {
    const box = lanes.getBoundingClientRect();
    seek((length * (event.clientX - box.left)) / box.width);
  });
  lanes.addEventListener("keydown", (event) => {
    const step = event.shiftKey ? 0.1 : 1;
    const keys = {
      " ": () => (audio.paused ? play() : audio.pause()),
      ArrowLeft: () => seek(audio.currentTime - step),
      ArrowRight: () => seek(audio.currentTime + step),
      ArrowDown: () => seek(audio.currentTime - step),
      ArrowUp: () => seek(audio.currentTime + step),
      Home: () => seek(0),
      End: () => seek(length),
    };
    if (!(event.key in keys) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  for (const button of figure.querySelectorAll("button[data-at]")) {
    button.addEventListener("click", () => {
      seek(Number(button.dataset.at) - begin);
      play();
    });
  }
}
