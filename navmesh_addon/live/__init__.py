"""A navmesh that follows its level while people work: built again where it changed, shown at once, written at rest.

live_mode            handlers that note what changed, the timer that follows it, what it waits for;
                     the button that switches it on and off
live_delays          the delays of live mode (debounce), and the times from which they count
followed_setups      all navmeshes that are followed, the active setup's first
followed_navmesh     one of them: what is to be looked at, built, finished and written;
                     its state: from a change that was found to the mesh that is written;
                     writes the finished navmesh into the mesh objects that are there
look                 looks at the scene in slices: what came, went, moved or has another shape;
                     gathers as a build does, but reads no mesh and places no instance again that is what it was
live_level           the level in parts, and what a thread builds of them;
                     what is drawn of a tile that was built just now
with_obstacles       draws a navmesh with the scene's obstacles cut out, while they are dragged
obstacle_cache       its tile cache, changed on a thread
drawn_tiles          draws these over the viewport
"""
