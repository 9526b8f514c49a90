//! Generating and applying actions allocates nothing.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use seega_rules::{ActionList, Position, preset};

/// The system's allocator, counting the allocations of each thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call is handed on to the system's allocator as it came; counting neither allocates nor fails.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promises are handed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are handed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn playing_games_allocates_nothing() {
    let mut actions = ActionList::new();
    let before = ALLOCATIONS.with(Cell::get);
    let mut plies = 0usize;
    for preset in &preset::ALL {
        for size in seega_rules::BoardSize::ALL {
            let rules = preset.rules.with_size(size);
            let mut position = Position::start(&rules);
            while position.outcome().is_none() {
                position.legal_actions(&rules, &mut actions);
                let chosen = position.choose_action(&rules, |count| (plies * 7919) % count);
                position.apply(&rules, chosen.unwrap_or(actions[0]));
                plies += 1;
            }
        }
    }
    assert_eq!(ALLOCATIONS.with(Cell::get) - before, 0, "in {plies} plies");
    assert!(Box::new(plies) > Box::new(1000) && ALLOCATIONS.with(Cell::get) > before, "the counter counts");
}
