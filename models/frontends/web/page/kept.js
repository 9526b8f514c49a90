// What is remembered from visit to visit.

export function read() {
  try {
    return JSON.parse(localStorage.getItem("seega")) ?? {};
  } catch {
    return {};
  }
}

export function write(changes) {
  try {
    localStorage.setItem("seega", JSON.stringify({ ...read(), ...changes }));
  } catch {
    // A browser that keeps nothing for us plays all the same.
  }
}
