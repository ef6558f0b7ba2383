// The switch between the theme of the system, light and dark.
import {h, replace} from './dom.js';
import {icon} from './icons.js';

const themes = ['auto', 'light', 'dark'];
const spoken = {auto: 'as the system', light: 'light', dark: 'dark'};

function current() {
  return document.documentElement.dataset.theme ?? 'auto';
}

function choose(theme) {
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem('linn.theme', theme);
  } catch {
    // Not kept, then.
  }
  dispatchEvent(new CustomEvent('linn:theme'));
}

export function themeSwitch() {
  const button = h('button', {class: 'icon-button', type: 'button', id: 'theme'});
  const show = () => {
    replace(button, icon(current()));
    button.setAttribute('aria-label', `Colours: ${spoken[current()]}. Change`);
    button.title = `Colours: ${spoken[current()]}`;
  };
  button.addEventListener('click', () => {
    choose(themes[(themes.indexOf(current()) + 1) % themes.length]);
    show();
  });
  show();
  return button;
}

// Calls back when colours change, by the switch or by the system. Returns how to stop that.
export function onThemeChange(callback) {
  const system = matchMedia('(prefers-color-scheme: dark)');
  addEventListener('linn:theme', callback);
  system.addEventListener('change', callback);
  return () => {
    removeEventListener('linn:theme', callback);
    system.removeEventListener('change', callback);
  };
}
