// How a truth looks: blue is true, orange is false, grey is undecided; and in figures, since colour alone is not enough.

export function truthText(p) {
  if (p > 0.995 && p < 1) return '>.99';
  if (p < 0.005 && p > 0) return '<.01';
  return p.toFixed(2);
}

export function truthWord(p) {
  if (p >= 0.9) return 'true';
  if (p >= 0.6) return 'rather true';
  if (p > 0.4) return 'undecided';
  if (p > 0.1) return 'rather false';
  return 'false';
}

// Style sheets mix the colour from these.
export function paint(element, p) {
  element.classList.toggle('is-true', p >= 0.5);
  element.classList.toggle('is-false', p < 0.5);
  element.style.setProperty('--sure', `${Math.round(Math.abs(p - 0.5) * 200)}%`);
  element.style.setProperty('--truth', String(p));
}
